// code_packages_prune: removes the packages of a repository that are not among ids
// mode: write
// params: ws string, repository string, ids list of string
// returns: nothing
MATCH (p:CodePackage {workspaceId: $ws, repository: $repository})
WHERE NOT p.id IN $ids
DETACH DELETE p
