// erase_records: takes the words out of a workspace's records of work that hold one of some texts; what an extraction was to read too
// mode: write
// params: ws string, texts list of string in lower case
// returns: nothing
MATCH (n:{{label}} {workspaceId: $ws})
WHERE n.{{indexed}} IS NOT NULL AND any(text IN $texts WHERE
  toLower(coalesce(n.outcome, '') + ' ' + coalesce(n.reason, '') + ' ' + coalesce(n.raw, '') + ' ' + coalesce(n.lastError, '') + ' '
    + CASE WHEN n.kind = 'extraction' THEN coalesce(n.input, '') ELSE '' END) CONTAINS text)
SET n.input = CASE WHEN n.kind = 'extraction' THEN null ELSE n.input END
REMOVE n.outcome, n.reason, n.raw, n.lastError
