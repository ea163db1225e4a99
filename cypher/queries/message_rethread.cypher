// message_rethread: moves mails that came before the ones that join their conversations to older ones
// mode: write
// params: ws string, threads list of {from, to}
// returns: nothing
UNWIND $threads AS thread
MATCH (m:Message {workspaceId: $ws, threadId: thread.from})
SET m.threadId = thread.to
