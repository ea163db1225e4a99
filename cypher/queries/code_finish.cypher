// code_finish: notes that a repository is stored as it was scanned, and what it holds
// mode: write
// params: ws string, repository string, digest string or null, now datetime, files int, symbols int, edgeCounts string, languages string, counts string
// returns: nothing
MATCH (r:CodeRepository {workspaceId: $ws, name: $repository})
SET r.digest = $digest, r.indexedAt = $now, r.files = $files, r.symbols = $symbols, r.edgeCounts = $edgeCounts, r.languages = $languages, r.counts = $counts
