// The neighbours of an entry in its thread are read in order, however long the thread is.
CREATE INDEX entry_thread_order IF NOT EXISTS FOR (n:Entry) ON (n.workspaceId, n.threadId, n.validFrom, n.id);
