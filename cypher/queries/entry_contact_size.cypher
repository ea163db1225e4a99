// entry_contact_size: how many entries are about a contact
// mode: read
// params: ws string, contactId string
// returns: count
MATCH (e:Entity {id: $contactId})
WHERE e.workspaceId = $ws
RETURN COUNT { (e)<-[:ABOUT]-() } AS count
