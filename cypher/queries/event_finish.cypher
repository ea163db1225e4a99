// event_finish: notes what a mailbox event gave
// mode: write
// params: ws string, key string, props map
// returns: nothing
MATCH (e:MailEvent {workspaceId: $ws, key: $key})
SET e += $props
