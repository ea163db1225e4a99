// event_finish: notes what mailbox events gave
// mode: write
// params: ws string, events list of {key, props map}
// returns: nothing
UNWIND $events AS event
MATCH (e:MailEvent {workspaceId: $ws, key: event.key})
SET e += event.props
