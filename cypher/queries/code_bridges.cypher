// code_bridges: the symbols that are called as slugs say, those that are exported first
// mode: read
// params: ws string, slugs list of string, limit int (of each slug)
// returns: n
UNWIND $slugs AS slug
CALL (slug) {
  MATCH (n:CodeSymbol {workspaceId: $ws, slug: slug})
  WHERE n.bridgeOrder IS NOT NULL
  RETURN n
  ORDER BY n.workspaceId, n.slug, n.bridgeOrder
  LIMIT $limit
}
RETURN n
