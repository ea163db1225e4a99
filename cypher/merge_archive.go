package cypher

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"mneme/knowledge"
)

// mergeArchive is what is needed to take a merge back: what went with it, what was
// changed and how that was before, and how the entity that stayed looked afterwards.
type mergeArchive struct {
	Keep         archivedNode       `json:"keep"`
	Merged       []archivedNode     `json:"merged"`
	Identities   []archivedIdentity `json:"identities,omitempty"`
	Moved        []archivedMove     `json:"moved,omitempty"`
	Changed      []archivedChange   `json:"changed,omitempty"`
	Dropped      []archivedEdge     `json:"dropped,omitempty"`
	Observations []archivedMove     `json:"observations,omitempty"`
	Remarks      []archivedNode     `json:"remarks,omitempty"` // observations that went
	Supports     []archivedSupport  `json:"supports,omitempty"`
	Direct       []archivedDirect   `json:"direct,omitempty"`
	Links        []archivedLink     `json:"links,omitempty"`
	Entries      []archivedEntry    `json:"entries,omitempty"`
	Redirects    []archivedRedirect `json:"redirects,omitempty"`
	After        []stateLine        `json:"after"`
	Record       archivedRecord     `json:"record"`
}

// archivedNode is a node as it was, with what it rested on.
type archivedNode struct {
	Labels   []string        `json:"labels"`
	Props    rawProps        `json:"props"`
	Supports []archivedBasis `json:"supports,omitempty"`
}

func (n archivedNode) id() string { return textOf(n.Props["id"]) }

// archivedBasis is a document, task or message that something rested on.
type archivedBasis struct {
	Label string   `json:"label"`
	ID    string   `json:"id"`
	Props rawProps `json:"props"`
}

type archivedIdentity struct {
	Entity string `json:"entity"`
	Kind   string `json:"kind"`
	Value  string `json:"value"`
}

// archivedMove is an edge or an observation that was given to another entity.
type archivedMove struct {
	ID       string   `json:"id"`
	Entity   string   `json:"entity"`        // whose it was
	Outgoing bool     `json:"out,omitempty"` // of an edge
	Before   rawProps `json:"before,omitempty"`
}

// archivedChange is an edge that stayed where it was and ended, or gained confidence.
type archivedChange struct {
	ID     string   `json:"id"`
	Before rawProps `json:"before"`
	Hash   string   `json:"hash"` // right after the merge
}

// archivedEdge is an edge that went, as relationship and as Fact.
type archivedEdge struct {
	Fact archivedNode `json:"fact"`
	Type string       `json:"type"`
	Rel  rawProps     `json:"rel"`
}

// archivedSupport is a support that something was given.
type archivedSupport struct {
	Kind  knowledge.Supported `json:"kind"`
	ID    string              `json:"id"`
	Label string              `json:"label"`
	By    string              `json:"by"`
}

// archivedDirect is a thing that was given its writer's own word.
type archivedDirect struct {
	Kind knowledge.Supported `json:"kind"`
	ID   string              `json:"id"`
}

// archivedLink is any other link of an entity that went.
type archivedLink struct {
	Entity   string   `json:"entity"`
	Type     string   `json:"type"`
	Outgoing bool     `json:"out,omitempty"`
	Label    string   `json:"label"`
	Other    string   `json:"other"`
	Props    rawProps `json:"props,omitempty"`
	Made     bool     `json:"made,omitempty"` // the entity that stays got it, and did not have one
	Twin     rawProps `json:"twin,omitempty"` // the properties of the one that it had, where they were changed
}

type archivedEntry struct {
	ID     string   `json:"id"`
	Before []string `json:"before"`
	After  []string `json:"after"`
}

type archivedRedirect struct {
	ID string `json:"id"`
	To string `json:"to"`
}

// archivedRecord is the entity that stayed, right after the merge.
type archivedRecord struct {
	Hash       string  `json:"hash"`
	Confidence float64 `json:"confidence"`
	Fades      bool    `json:"fades,omitempty"` // nobody edits it when its confidence becomes less (SPEC G3)
}

// stateLine is one thing that hung on the entity that stayed, right after the merge.
type stateLine struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Hash string `json:"hash,omitempty"`
	Far  string `json:"far,omitempty"` // the other end of an edge
}

// Kinds of state lines, as they are called in messages.
const (
	stateEdge        = "edge"
	stateObservation = "observation"
	stateEntry       = "entry"
)

// hashOf is short and the same for the same values.
func hashOf(p props, keys ...string) (string, error) {
	some := make(rawProps, len(keys))
	for _, key := range keys {
		some[key] = p[key]
	}
	text, err := json.Marshal(some)
	if err != nil {
		return "", err
	}
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return strconv.FormatUint(h.Sum64(), 36), nil
}

// edgeLine is an edge as it counts for what was edited: not its vector and not what it rests on.
func edgeLine(p props, of string) (stateLine, error) {
	hash, err := hashOf(p, "src", "dst", "type", "name", "properties", "confidence", "weight", "source", "validFrom", "validTo", "invalidatedAt", "createdAt")
	far := p.text("src")
	if far == of {
		far = p.text("dst")
	}
	return stateLine{Kind: stateEdge, ID: p.text("id"), Hash: hash, Far: far}, err
}

func observationLine(p props) (stateLine, error) {
	hash, err := hashOf(p, "entityId", "text", "source", "fingerprint", "observedAt", "createdAt")
	return stateLine{Kind: stateObservation, ID: p.text("id"), Hash: hash}, err
}

// recordOf is an entity as it counts for what was edited: when it was seen does not, and
// its confidence may fade.
func recordOf(p props, identities []props) (archivedRecord, error) {
	known := make([]any, 0, len(identities))
	for _, i := range identities {
		known = append(known, i.text("kind")+":"+i.text("value"))
	}
	slices.SortFunc(known, compareAny)
	counted := props{"identities": known}
	keys := []string{"name", "type", "discriminator", "aliases", "description", "descriptionSource", "properties", "source", "taskId", "createdAt", "updatedAt"}
	for _, key := range keys {
		counted[key] = p[key]
	}
	hash, err := hashOf(counted, append(keys, "identities")...)
	return archivedRecord{Hash: hash, Confidence: p.float("confidence"), Fades: p.text("source") == string(knowledge.ActorAuto)}, err
}

func compareAny(a, b any) int { return strings.Compare(textOf(a), textOf(b)) }
