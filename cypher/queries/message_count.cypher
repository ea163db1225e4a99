// message_count: the number of a workspace's mails, or of one conversation's
// mode: read
// params: ws string, threadId string
// returns: count
MATCH (m:Message {workspaceId: $ws})
WHERE m.sentAt IS NOT NULL AND ($threadId = '' OR m.threadId = $threadId)
RETURN count(m) AS count
