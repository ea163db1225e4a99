// upkeep_stale_guesses: removes the relations of a page of entries that a model guessed, was not sure of, and that are old
// mode: write
// params: ws string, ids list of string, before datetime
// returns: deleted
UNWIND $ids AS id
MATCH (n:Entry {id: id})-[r:ENTRY_SUPPORTS|ENTRY_CONTRADICTS|ENTRY_SUPERSEDES|ENTRY_RELATES_TO|ENTRY_CAUSES|ENTRY_BLOCKS]->(:Entry)
WHERE n.workspaceId = $ws AND r.confidenceTag = 'ambiguous' AND r.provenance = 'llm' AND r.createdAt < $before
DELETE r
RETURN count(*) AS deleted
