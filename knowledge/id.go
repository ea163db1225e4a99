package knowledge

// Prefixes of ids, by kind. What follows is a lower-case ULID, so that ids of a
// kind sort by creation time; there is no hyphen in an id, because the full-text
// index filters by ids as single terms.
const (
	PrefixWorkspace   = "ws"
	PrefixEntity      = "ent"
	PrefixEdge        = "edg"
	PrefixObservation = "obs"
	PrefixEntry       = "ery"
	PrefixRelation    = "rel"
	PrefixMessage     = "msg"
	PrefixSourceFile  = "src"
	PrefixMerge       = "mrg"
	PrefixJob         = "job"
	PrefixRun         = "run"
	PrefixEvent       = "evt"
	PrefixType        = "typ"
)
