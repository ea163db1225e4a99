// merge_namesakes: the entities that have the keys of others
// mode: read
// params: ws string, rows list of {type, key, discriminator}
// returns: id, name
UNWIND $rows AS row
MATCH (e:Entity {workspaceId: $ws, type: row.type, normalizedName: row.key, discriminator: row.discriminator})
RETURN e.id AS id, e.name AS name
