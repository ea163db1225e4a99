// migration_record: notes that a migration was run
// mode: write
// params: name string
// returns: nothing
MERGE (m:Migration {name: $name})
ON CREATE SET m.appliedAt = datetime()
