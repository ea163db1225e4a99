// withdraw_supports: takes the support of supporters of one label away from all that is left of what rested on it
// mode: write
// params: ws string, by list of string
// returns: supports, how many there were
UNWIND $by AS supporter
MATCH (:{{label}} {workspaceId: $ws, id: supporter})<-[r:SUPPORTED_BY]-()
DELETE r
RETURN count(*) AS supports
