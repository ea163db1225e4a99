// merge_entries_set: stores whom entries are about, beside their links
// mode: write
// params: rows list of {id, contacts list of string, scope}
// returns: nothing
UNWIND $rows AS row
MATCH (n:Entry {id: row.id})
SET n.contactIds = row.contacts, n.scopeKeys = row.scope
