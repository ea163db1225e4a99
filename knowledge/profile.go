package knowledge

// CallerMode is what a caller's session is for.
type CallerMode string

// Modes of callers (SPEC F9): only who executes may write.
const (
	CallerExecutes CallerMode = "execute"
	CallerPlans    CallerMode = "plan"
	CallerAnalyzes CallerMode = "analyze"
	CallerVerifies CallerMode = "verify"
)

// CallerChannel is who hears what a caller says.
type CallerChannel string

// Channels of callers (SPEC F9): where strangers listen, memory is neither read nor written.
const (
	ChannelPrivate CallerChannel = "private"
	ChannelGroup   CallerChannel = "group"
	ChannelPublic  CallerChannel = "public"
)

// Profile is what a caller's key or session allows (SPEC F9). The zero value executes in
// private and may read and write everything.
type Profile struct {
	Mode     CallerMode    // empty: execute
	Channel  CallerChannel // empty: private
	ReadOnly bool
	// ContactID is the contact whose knowledge, with what is general, is all that may be
	// seen (SPEC L22); empty: everything.
	ContactID string
}

// Checked is the profile with its defaults filled in. INVALID_INPUT names mode or channel.
func (p Profile) Checked() (Profile, error) {
	switch p.Mode {
	case "":
		p.Mode = CallerExecutes
	case CallerExecutes, CallerPlans, CallerAnalyzes, CallerVerifies:
	default:
		return p, Invalid("mode", "%q is not one of execute, plan, analyze, verify", Ellipsis(string(p.Mode), MaxTagLength))
	}
	switch p.Channel {
	case "":
		p.Channel = ChannelPrivate
	case ChannelPrivate, ChannelGroup, ChannelPublic:
	default:
		return p, Invalid("channel", "%q is not one of private, group, public", Ellipsis(string(p.Channel), MaxTagLength))
	}
	return p, nil
}

// MayRead is FORBIDDEN where the profile does not let its caller read.
func (p Profile) MayRead() error {
	if p.Channel != "" && p.Channel != ChannelPrivate {
		return Errorf(CodeForbidden, "memory is neither read nor written in %s channels", p.Channel)
	}
	return nil
}

// MayWrite is FORBIDDEN where the profile does not let its caller write.
func (p Profile) MayWrite() error {
	if err := p.MayRead(); err != nil {
		return err
	}
	if p.Mode != "" && p.Mode != CallerExecutes {
		return Errorf(CodeForbidden, "nothing is written in %s mode, only in execute mode", p.Mode)
	}
	if p.ReadOnly {
		return Errorf(CodeForbidden, "this session may only read")
	}
	return nil
}

// Scope is what of a workspace the caller may see.
func (p Profile) Scope() Scope {
	if p.ContactID == "" {
		return Scope{OrgWide: true}
	}
	return Scope{ContactID: p.ContactID}
}

// Bounded tells whether the scope leaves anything out. The zero scope, which asks for
// nothing in particular, leaves nothing out.
func (s Scope) Bounded() bool { return !s.OrgWide && (s.ContactID != "" || s.OrgGeneralOnly) }

// PermitsEntity tells whether an entity is seen by itself: every thing is, of persons
// only the scope's own contact. Others are known by name alone, where something that may
// be seen names them (SPEC R6, T23).
func (s Scope) PermitsEntity(e *Entity) bool {
	return !s.Bounded() || e.TypeKey != TypePerson || s.ContactID != "" && e.ID == s.ContactID
}

// PermitsEdge tells whether an edge is seen, by what stands at its ends (SPEC T23).
func (s Scope) PermitsEdge(from, to *Entity) bool {
	var persons []string
	for _, e := range []*Entity{from, to} {
		if e.TypeKey == TypePerson {
			persons = append(persons, e.ID)
		}
	}
	return !s.Bounded() || s.PermitsPersons(persons)
}

// Show is an entity as the scope shows it: whole, or its name alone.
func (s Scope) Show(e *Entity) *Entity {
	if s.PermitsEntity(e) {
		return e
	}
	return &Entity{
		ID: e.ID, WorkspaceID: e.WorkspaceID, TypeKey: e.TypeKey, Name: e.Name, NormalizedName: e.NormalizedName, Slug: e.Slug,
		Aliases: []string{}, Identities: []ContactIdentity{}, Properties: map[string]any{},
		Confidence: e.Confidence, Source: e.Source, CreatedAt: e.CreatedAt, UpdatedAt: e.CreatedAt, LastSeenAt: e.CreatedAt,
	}
}
