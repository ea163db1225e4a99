// code_parts: the files of a repository with the hash of what is stored of each, none where a run was cut off
// mode: read
// params: ws string, repository string
// returns: path, hash
MATCH (f:CodeFile {workspaceId: $ws, repository: $repository})
WHERE f.path IS NOT NULL
RETURN f.path AS path, f.partHash AS hash
ORDER BY f.path
