// merge_observations_whole: observations with all that is stored of them, to be kept before they are dropped
// mode: read
// params: ws string, ids list of string
// returns: labels, props map, supports list of {label, id, props map}
UNWIND $ids AS id
MATCH (o:Observation {id: id})
WHERE o.workspaceId = $ws
RETURN labels(o) AS labels, properties(o) AS props, [(o)-[s:SUPPORTED_BY]->(d) | {label: labels(d)[0], id: d.id, props: properties(s)}] AS supports
