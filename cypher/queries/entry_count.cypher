// entry_count: how many entries fit a filter
// mode: read
// params: ws string, those of the filter
// returns: count
MATCH {{source}}
WHERE {{filter}}
RETURN count(DISTINCT n) AS count
