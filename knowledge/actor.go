package knowledge

// Actor is the kind of a writer. The zero value is not a writer.
type Actor string

// Writers, weakest first (SPEC A20).
const (
	ActorAuto   Actor = "auto"
	ActorAgent  Actor = "agent"
	ActorManual Actor = "manual"
)

// Rank orders writers: manual 3, agent 2, auto 1. An unknown or missing stored
// source counts as manual, so that nothing of unknown origin is overwritten.
func (a Actor) Rank() int {
	switch a {
	case ActorAuto:
		return 1
	case ActorAgent:
		return 2
	default:
		return 3
	}
}

// Valid tells whether a is one of the three writers.
func (a Actor) Valid() bool { return a == ActorAuto || a == ActorAgent || a == ActorManual }

// Stronger is the higher-ranked of two writers.
func Stronger(a, b Actor) Actor {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// Caller is who asks: its own kind caps what its writes may claim.
type Caller struct {
	Name    string
	Actor   Actor
	Profile Profile
}

// Claim is the writer that a write of this caller counts as: what it claims,
// capped by its own kind; its own kind where it claims nothing.
func (c Caller) Claim(claimed Actor) Actor {
	if claimed == "" || claimed.Rank() > c.Actor.Rank() {
		return c.Actor
	}
	return claimed
}
