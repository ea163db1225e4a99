package knowledge

// generalScope stands in the index for "about nobody": entries of the organisation.
const generalScope = "general"

// Permits tells whether a reader of the scope may see an entry that is about these
// contacts (SPEC L7): everything org-wide; else what is about nobody, and for a
// contact what is about it.
func (s Scope) Permits(contactIDs []string) bool {
	if s.OrgWide || len(contactIDs) == 0 {
		return s.OrgWide || s.OrgGeneralOnly || s.ContactID != ""
	}
	if s.ContactID == "" {
		return false
	}
	for _, id := range contactIDs {
		if id == s.ContactID {
			return true
		}
	}
	return false
}

// Keys are the words of which an entry's ScopeKeys must hold one; nil is no condition.
func (s Scope) Keys() []string {
	switch {
	case s.OrgWide:
		return nil
	case s.ContactID != "":
		return []string{s.ContactID, generalScope}
	default:
		return []string{generalScope}
	}
}

// ScopeKeys are the words by which an index knows who may see an entry.
func ScopeKeys(contactIDs []string) []string {
	if len(contactIDs) == 0 {
		return []string{generalScope}
	}
	return contactIDs
}

// Check rejects a reference that is not exactly one of the three scopes (SPEC L1).
func (r ScopeRef) Check(field string) error {
	given := 0
	for _, is := range []bool{r.Contact != nil, r.OrgGeneralOnly, r.OrgWide} {
		if is {
			given++
		}
	}
	if given != 1 {
		return Invalid(field, "give exactly one of contact, orgGeneralOnly and orgWide")
	}
	return nil
}

// MayLink is the rule for relations that nobody asked for (SPEC K24): both ends are
// about a common contact, or one of them is about nobody.
func MayLink(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// PermitsPersons is Permits for an edge or an observation, which belongs to the persons
// at its ends and is general where there is none (SPEC T23).
func (s Scope) PermitsPersons(personIDs []string) bool { return s.Permits(personIDs) }
