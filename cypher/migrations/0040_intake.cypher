// SPEC E17: a mailbox event is taken in once.
CREATE CONSTRAINT mail_event_key IF NOT EXISTS FOR (e:MailEvent) REQUIRE (e.workspaceId, e.key) IS UNIQUE;
CREATE INDEX mail_event_workspace IF NOT EXISTS FOR (e:MailEvent) ON (e.workspaceId);
