// message_claim: makes the node of a mail, or finds it
// mode: write
// params: ws string, messageId string, id string
// returns: id
MERGE (m:Message {workspaceId: $ws, messageId: $messageId})
ON CREATE SET m.id = $id
RETURN m.id AS id
