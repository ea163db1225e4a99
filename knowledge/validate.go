package knowledge

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckText rejects a text that is longer than limit characters, is not UTF-8 or holds NUL.
func CheckText(field, text string, limit int) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Invalid(field, "must be UTF-8 text without NUL characters")
	}
	if len(text) > limit && utf8.RuneCountInString(text) > limit {
		return Limit(field, "is longer than %d characters", limit)
	}
	return nil
}

// CheckConfidence rejects what is not a number from 0 to 1 (SPEC A14, K6).
func CheckConfidence(field string, c float64) error {
	if math.IsNaN(c) || c < 0 || c > 1 {
		return Invalid(field, "must be a number from 0 to 1")
	}
	return nil
}

// CheckProperties rejects an object that is larger than 64 KiB as JSON, deeper than 8
// levels, or holds text that CheckText rejects.
func CheckProperties(field string, object map[string]any) error {
	if len(object) == 0 {
		return nil
	}
	if depthOf(object) > MaxPropertiesDepth {
		return Limit(field, "is nested deeper than %d levels", MaxPropertiesDepth)
	}
	encoded, err := json.Marshal(object)
	if err != nil {
		return Invalid(field, "is not a JSON object")
	}
	if len(encoded) > MaxPropertiesBytes {
		return Limit(field, "is larger than %d KiB as JSON", MaxPropertiesBytes>>10)
	}
	if strings.Contains(string(encoded), `\u0000`) {
		return Invalid(field, "must not hold NUL characters")
	}
	return nil
}

func depthOf(v any) int {
	deepest := 0
	switch x := v.(type) {
	case map[string]any:
		for _, child := range x {
			deepest = max(deepest, depthOf(child))
		}
	case []any:
		for _, child := range x {
			deepest = max(deepest, depthOf(child))
		}
	default:
		return 0
	}
	return deepest + 1
}

// CheckID rejects an id or key that no stored thing can have.
func CheckID(field, id string) error {
	if strings.TrimSpace(id) == "" {
		return Invalid(field, "must not be empty")
	}
	return CheckText(field, id, MaxIDLength)
}

// Checked is the reference with its parts normalised; INVALID_INPUT where not exactly
// one of id, name and identity is given, or a type without a name.
func (r EntityRef) Checked(field string) (EntityRef, error) {
	given := 0
	for _, is := range []bool{r.ID != "", r.Name != "", r.Identity != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return r, Invalid(field, "give exactly one of id, name and identity")
	}
	if r.Type != "" && r.Name == "" {
		return r, Invalid(field+".type", "goes with a name only")
	}
	r.Type = TypeKey(r.Type)
	switch {
	case r.ID != "":
		return r, CheckID(field+".id", r.ID)
	case r.Name != "":
		if NormalizeName(r.Name) == "" {
			return r, Invalid(field+".name", "must not be empty")
		}
		return r, CheckText(field+".name", r.Name, MaxNameLength)
	default:
		identity, err := r.Identity.Checked(field + ".identity")
		r.Identity = &identity
		return r, err
	}
}

// String is the reference as a caller would say it.
func (r EntityRef) String() string {
	switch {
	case r.ID != "":
		return r.ID
	case r.Identity != nil:
		return r.Identity.Value
	default:
		return r.Name
	}
}

// Checked is the identity with its kind and value in the form in which they are compared.
func (i ContactIdentity) Checked(field string) (ContactIdentity, error) {
	i.Kind, i.Value = TypeKey(i.Kind), IdentityValue(i.Value)
	if i.Kind == "" {
		return i, Invalid(field+".kind", "must not be empty")
	}
	if i.Value == "" {
		return i, Invalid(field+".value", "must not be empty")
	}
	if err := CheckText(field+".kind", i.Kind, MaxTagLength); err != nil {
		return i, err
	}
	return i, CheckText(field+".value", i.Value, MaxNameLength)
}

// Checked is the draft in the form in which it is matched: the type's key, trimmed
// name, aliases and identities each once. Its errors name the fields of the input.
func (d EntityDraft) Checked() (EntityDraft, error) {
	typ := d.Type
	if d.Type = TypeKey(typ); d.Type == "" {
		return d, Invalid("type", "must not be empty")
	}
	if err := CheckText("type", d.Type, MaxTagLength); err != nil {
		return d, err
	}
	var err error
	if d.Name, err = checkedName("name", d.Name); err != nil {
		return d, err
	}
	if d.Aliases, err = checkedAliases(d.Aliases); err != nil {
		return d, err
	}
	if d.Identities, err = checkedIdentities(d.Identities); err != nil {
		return d, err
	}
	if d.Description != nil {
		if err := CheckText("description", *d.Description, MaxTextLength); err != nil {
			return d, err
		}
	}
	if d.Confidence != nil {
		if err := CheckConfidence("confidence", *d.Confidence); err != nil {
			return d, err
		}
	}
	if err := CheckProperties("properties", d.Properties); err != nil {
		return d, err
	}
	return d, checkOrigin(d.DocID, d.TaskID)
}

func checkOrigin(docID, taskID string) error {
	if err := CheckText("docId", docID, MaxIDLength); err != nil {
		return err
	}
	return CheckText("taskId", taskID, MaxIDLength)
}

func checkedName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	if NormalizeName(name) == "" {
		return name, Invalid(field, "must not be empty")
	}
	return name, CheckText(field, name, MaxNameLength)
}

func checkedAliases(aliases []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for i, alias := range aliases {
		alias, err := checkedName(fmt.Sprintf("aliases.%d", i), alias)
		if err != nil {
			return nil, err
		}
		if key := NormalizeName(alias); !seen[key] {
			seen[key] = true
			out = append(out, alias)
		}
	}
	if len(out) > MaxTags {
		return nil, Limit("aliases", "has more than %d names", MaxTags)
	}
	return out, nil
}

func checkedIdentities(identities []ContactIdentity) ([]ContactIdentity, error) {
	var out []ContactIdentity
	for i, identity := range identities {
		identity, err := identity.Checked(fmt.Sprintf("identities.%d", i))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, identity) {
			out = append(out, identity)
		}
	}
	if len(out) > MaxTags {
		return nil, Limit("identities", "has more than %d identities", MaxTags)
	}
	return out, nil
}

// Checked is the patch in normal form; its errors name the fields of the input.
func (p EntityPatch) Checked() (EntityPatch, error) {
	if err := CheckID("id", p.ID); err != nil {
		return p, err
	}
	if p.Type != nil {
		key := TypeKey(*p.Type)
		if key == "" {
			return p, Invalid("type", "must not be empty")
		}
		p.Type = &key
	}
	if p.Name != nil {
		name, err := checkedName("name", *p.Name)
		if err != nil {
			return p, err
		}
		p.Name = &name
	}
	if p.Aliases != nil {
		aliases, err := checkedAliases(*p.Aliases)
		if err != nil {
			return p, err
		}
		p.Aliases = &aliases
	}
	if p.Description != nil {
		if err := CheckText("description", *p.Description, MaxTextLength); err != nil {
			return p, err
		}
	}
	if p.Confidence != nil {
		if err := CheckConfidence("confidence", *p.Confidence); err != nil {
			return p, err
		}
	}
	if err := CheckProperties("properties", p.Properties); err != nil {
		return p, err
	}
	return p, checkOrigin("", p.TaskID)
}
