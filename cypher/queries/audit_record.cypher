// audit_record: keeps an administrative act
// mode: write
// params: props map
// returns: nothing
CREATE (a:AuditEvent)
SET a = $props
