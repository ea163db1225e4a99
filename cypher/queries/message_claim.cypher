// message_claim: makes the nodes of mails, or finds them
// mode: write
// params: ws string, messages list of {messageId, id, at: its place}
// returns: place, id
UNWIND $messages AS message
MERGE (m:Message {workspaceId: $ws, messageId: message.messageId})
ON CREATE SET m.id = message.id
RETURN message.at AS place, m.id AS id
