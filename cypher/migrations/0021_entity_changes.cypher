// Names that changed since a moment are read without reading the others (mentions).
CREATE INDEX entity_updated IF NOT EXISTS FOR (e:Entity) ON (e.workspaceId, e.updatedAt);
