package knowledge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CleanupEntity is an entity with what is decided on when older imports are cleaned up.
type CleanupEntity struct {
	*Entity
	Degree int  // edges and observations
	Keyed  bool // it is unique by its name already
}

// CaseGroup are entities of one type and one name but for its casing (SPEC H7): the one
// that stays, those that go into it, and those that are known to be something else (T7).
type CaseGroup struct {
	Canonical CleanupEntity
	Merge     []CleanupEntity
	Apart     []CleanupEntity
}

// CaseGroups puts entities of one workspace together by type and normalised name, in the
// order of these. Canonical is the one of the strongest source, then of most edges and
// observations, then the oldest, then that of the smallest id (SPEC H7). One whose identities
// differ from the canonical's is not merged.
func CaseGroups(entities []CleanupEntity) []CaseGroup {
	type key struct{ typ, name string }
	of := func(e CleanupEntity) key { return key{e.TypeKey, NormalizeName(e.Name)} }
	sorted := slices.Clone(entities)
	slices.SortFunc(sorted, func(a, b CleanupEntity) int {
		x, y := of(a), of(b)
		return cmp.Or(
			cmp.Compare(x.typ, y.typ), cmp.Compare(x.name, y.name),
			cmp.Compare(b.Source.Rank(), a.Source.Rank()), cmp.Compare(b.Degree, a.Degree), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID),
		)
	})
	var groups []CaseGroup
	for i, e := range sorted {
		if i == 0 || of(e) != of(sorted[i-1]) {
			groups = append(groups, CaseGroup{Canonical: e})
			continue
		}
		g := &groups[len(groups)-1]
		if identitiesDiffer(g.Canonical.Identities, e.Identities) {
			g.Apart = append(g.Apart, e)
			continue
		}
		g.Merge = append(g.Merge, e)
	}
	return groups
}

// AdoptedEntity is an entity of an older import with what every entity has by now: its
// key, moments, and a source, which is a person's where it is not known (SPEC H6).
func AdoptedEntity(e *Entity, discriminator string, now time.Time) *Entity {
	out := *e
	out.NormalizedName, out.Slug, out.Discriminator = NormalizeName(e.Name), Slug(e.Name), discriminator
	if !out.Source.Valid() {
		out.Source = ActorManual
	}
	if out.CreatedAt.IsZero() {
		out.CreatedAt = now
	}
	if out.UpdatedAt.IsZero() {
		out.UpdatedAt = now
	}
	if out.LastSeenAt.IsZero() {
		out.LastSeenAt = out.CreatedAt
	}
	return &out
}

// freeMailName tells whether a name is one of organisations that only a relay or a mail provider gave,
// or a provider's label (SPEC H11).
func freeMailName(normalized string) bool {
	labels, _ := personal()
	return labels[normalized] || slices.Contains([]string{"privaterelay", "me", "mac", "pm", "duck", "qq", "naver"}, normalized)
}

// FreeMailOrganization tells whether an automatic organisation is a mail provider that
// persons write from (SPEC H11).
func FreeMailOrganization(e *Entity) bool {
	if e.TypeKey != TypeOrganization || e.Source != ActorAuto {
		return false
	}
	if domain := propertyText(e.Properties, "domain"); RegistrableDomain(domain) != "" {
		return PersonalDomain(domain)
	}
	return ofMailbox(e) && freeMailName(NormalizeName(e.Name))
}

func ofMailbox(e *Entity) bool { return propertyText(e.Properties, "source") == mailboxSource }

func propertyText(properties map[string]any, key string) string {
	s, _ := properties[key].(string)
	return strings.TrimSpace(s)
}

// SubdomainOrganization is the name that an automatic organisation of a mailbox should
// have which was named after a sub-domain: News of news.amazon.com is Amazon (SPEC H12).
// Empty: it is named otherwise, or rightly.
func SubdomainOrganization(e *Entity) string {
	domain := propertyText(e.Properties, "domain")
	if e.TypeKey != TypeOrganization || e.Source != ActorAuto || !ofMailbox(e) || domain == "" {
		return ""
	}
	first, _, _ := strings.Cut(unicodeDomain(domain), ".")
	label := OrganizationLabel(domain)
	if label == "" || first == label || !strings.EqualFold(strings.TrimSpace(e.Name), first) {
		return ""
	}
	return capitalized(label)
}

func capitalized(label string) string {
	first, size := utf8.DecodeRuneInString(label)
	return string(unicode.ToUpper(first)) + label[size:]
}

// RenamedOrganization is an organisation under another name; a generated description is
// made anew.
func RenamedOrganization(e *Entity, name string, now time.Time) *Entity {
	out := *e
	out.Name, out.NormalizedName, out.Slug, out.Discriminator, out.UpdatedAt = name, NormalizeName(name), Slug(name), "", now
	if e.Description != nil && describedBy(e) == ActorAuto {
		auto, description := ActorAuto, OrganizationDescription(propertyText(e.Properties, "domain"))
		out.Description, out.DescriptionSource = &description, &auto
	}
	return &out
}

// addressIn finds a mail address in a generated description.
var addressIn = regexp.MustCompile(`[^\s<>()"',;:]+@[^\s<>()"',;:]+`)

// AutomatedSender tells whether an automatic person of a mailbox is a machine: by its email
// property or, without one, by the address in its generated description (SPEC H13).
func AutomatedSender(e *Entity) bool {
	if e.TypeKey != TypePerson || e.Source != ActorAuto || !ofMailbox(e) {
		return false
	}
	address := propertyText(e.Properties, "email")
	if address == "" && e.Description != nil && describedBy(e) == ActorAuto {
		address = addressIn.FindString(*e.Description)
	}
	return address != "" && AutomatedAddress(address)
}
