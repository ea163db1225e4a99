// message_rethread: moves mails that came before the one that joins their conversation to an older one
// mode: write
// params: ws string, from string, to string
// returns: nothing
MATCH (m:Message {workspaceId: $ws, threadId: $from})
SET m.threadId = $to
