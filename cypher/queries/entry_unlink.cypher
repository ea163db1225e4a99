// entry_unlink: takes an entry's links of the given kinds away, before they are made anew
// mode: write
// params: id string, contacts bool, mentions bool, auto bool
// returns: nothing
MATCH (n:Entry {id: $id})-[r:ABOUT|MENTIONS]->(:Entity)
WHERE type(r) = 'ABOUT' AND $contacts OR type(r) = 'MENTIONS' AND ($mentions AND NOT coalesce(r.auto, false) OR $auto AND coalesce(r.auto, false))
DELETE r
