// workspace_list: workspaces by key, after one key or before it
// mode: read
// params: after string, backward bool, limit int
// returns: w, nearest to the given key first
CALL () {
  WITH * WHERE NOT $backward
  MATCH (w:Workspace)
  WHERE w.key > $after
  RETURN w
  ORDER BY w.key
  LIMIT $limit
  UNION ALL
  WITH * WHERE $backward
  MATCH (w:Workspace)
  WHERE w.key IS NOT NULL AND ($after = '' OR w.key < $after)
  RETURN w
  ORDER BY w.key DESC
  LIMIT $limit
}
RETURN w
