// A stored mail is known by its own id too; conversations are read by time.
CREATE CONSTRAINT message_message_id IF NOT EXISTS FOR (m:Message) REQUIRE (m.workspaceId, m.messageId) IS UNIQUE;
CREATE INDEX message_thread IF NOT EXISTS FOR (m:Message) ON (m.workspaceId, m.threadId, m.sentAt);
CREATE INDEX message_sent IF NOT EXISTS FOR (m:Message) ON (m.workspaceId, m.sentAt);
CREATE INDEX message_subject IF NOT EXISTS FOR (m:Message) ON (m.workspaceId, m.baseSubject);
// A file is known by where it lies.
CREATE CONSTRAINT source_file_id IF NOT EXISTS FOR (f:SourceFile) REQUIRE f.id IS UNIQUE;
CREATE CONSTRAINT source_file_path IF NOT EXISTS FOR (f:SourceFile) REQUIRE (f.workspaceId, f.path) IS UNIQUE;
CREATE INDEX source_file_created IF NOT EXISTS FOR (f:SourceFile) ON (f.workspaceId, f.createdAt);
