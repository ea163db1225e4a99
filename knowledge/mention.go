package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MentionName is a name or alias of an entity.
type MentionName struct {
	EntityID string
	Name     string
}

// Mention is where a text names an entity: text[Start:End], in bytes.
type Mention struct {
	EntityID   string
	Start, End int
}

const (
	// maxMentionTokens is the longest name that is looked for, in words and signs.
	maxMentionTokens = 32
	// exactCaseRunes is up to which length a name has to be written as it is stored:
	// AI and Go are names, ai and go are not.
	exactCaseRunes = 2
	// minPluralRunes is how long a word has to be whose plural is known.
	minPluralRunes = 3
)

// MentionIndex finds the names of entities in texts. It does not change after it
// was made and may be used by many at once.
//
// Names are compared as NormalizeName has them, as whole words; in scripts without
// spaces anywhere, Korean names at the beginning of a word, where particles follow
// them. A possessive or a simple plural of a name is the name. Left out are names
// that several entities share, that are a number or one letter, and names that
// are everyday words where they may be meant as such.
type MentionIndex struct {
	words map[string]int      // normalised words and signs of all names
	next  map[mentionStep]int // to which node a step leads; node 0 is the root
	ends  []*mentionEnd       // by node; nil where no name ends
}

// mentionStep is a word behind a node.
type mentionStep struct{ node, word int }

// mentionEnd is the entity of a name.
type mentionEnd struct {
	entityID  string
	ambiguous bool
	weak      bool // a name without its qualifier: any full name is stronger
	care      mentionCare
	exact     []string // the spellings that count, where care asks for them
}

// NewMentionIndex makes the index of the names and aliases of a workspace's
// entities. A name with a qualifier in brackets, "Mercury (planet)", is also known
// without it, unless that is another's name.
func NewMentionIndex(names []MentionName) *MentionIndex {
	x := &MentionIndex{words: make(map[string]int), next: make(map[mentionStep]int, 2*len(names)), ends: make([]*mentionEnd, 1, 2*len(names)+1)}
	for _, n := range names {
		x.add(n.EntityID, n.Name, false)
		if bare, ok := BareName(n.Name); ok {
			x.add(n.EntityID, bare, true)
		}
	}
	return x
}

// BareName is a name without the qualifier in brackets at its end, and whether it has one.
func BareName(name string) (string, bool) {
	name = strings.TrimSpace(name)
	open := strings.LastIndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") {
		return "", false
	}
	bare := strings.TrimSpace(name[:open])
	return bare, bare != ""
}

func (x *MentionIndex) add(entityID, name string, weak bool) {
	name = strings.TrimSpace(name)
	tokens := newMentionScanner().scan(name)
	if len(tokens) == 0 || len(tokens) > maxMentionTokens {
		return
	}
	care := careFor(name, tokens)
	if care == leftOut {
		return
	}
	node := 0
	for _, t := range tokens {
		node = x.step(node, t.norm)
	}
	end := x.ends[node]
	if end == nil || end.weak && !weak {
		end = &mentionEnd{entityID: entityID, weak: weak}
		x.ends[node] = end
	} else if end.entityID != entityID && end.weak == weak {
		end.ambiguous = true
	}
	end.care = care
	if care != careless {
		end.exact = append(end.exact, name)
	}
}

// step is the node behind a word, made where it is not there.
func (x *MentionIndex) step(node int, word string) int {
	id, ok := x.words[word]
	if !ok {
		id = len(x.words)
		x.words[strings.Clone(word)] = id
	}
	key := mentionStep{node, id}
	next, ok := x.next[key]
	if !ok {
		next = len(x.ends)
		x.next[key] = next
		x.ends = append(x.ends, nil)
	}
	return next
}

// mentionCare is what a place in a text needs, beyond a name's words, to mean the name.
type mentionCare int

const (
	careless    mentionCare = iota
	exactCase               // only a name as it is stored: very short, or of function words
	midSentence             // as exactCase, and not where any word would have its capital
	leftOut                 // too short or too common
)

// careFor tells how surely a text that has a name's words means the name.
func careFor(name string, tokens []mentionToken) mentionCare {
	letters, function, units, runes := false, true, 0, 0
	for _, t := range tokens {
		runes += utf8.RuneCountInString(t.norm)
		if t.script == notAWord || t.script == pictogram {
			continue
		}
		units += len(letterUnits(t.norm))
		letters = letters || strings.ContainsFunc(t.norm, unicode.IsLetter)
		function = function && stopWords[t.norm]
	}
	capital := strings.ContainsFunc(name, unicode.IsUpper)
	common := len(tokens) == 1 && commonWords[tokens[0].norm]
	switch {
	case !letters, units < 2 && (tokens[0].script != spaced || runes <= exactCaseRunes), common && !capital:
		return leftOut
	case common:
		return midSentence
	case function && len(tokens) == 1 && strings.ToUpper(name) != name:
		return leftOut
	case function, tokens[0].script == spaced && runes <= exactCaseRunes:
		return exactCase
	}
	return careless
}

// Find is where a text names entities, in order and without overlaps: at each place
// the longest name. A text without any gives none.
func (x *MentionIndex) Find(text string) []Mention {
	var mentions []Mention
	tokens := newMentionScanner().scan(text)
	for i := 0; i < len(tokens); {
		end, last := x.longest(text, tokens, i)
		if end == nil {
			i++
			continue
		}
		if !end.ambiguous {
			mentions = append(mentions, Mention{EntityID: end.entityID, Start: tokens[i].start, End: tokens[last].end})
		}
		i = last + 1
	}
	return mentions
}

// longest is the longest name that begins at token i, and the token where it ends.
func (x *MentionIndex) longest(text string, tokens []mentionToken, i int) (*mentionEnd, int) {
	if tokens[i].insideWord || insideCompound(text, tokens[i].start, false) {
		return nil, 0
	}
	var best *mentionEnd
	last, node := 0, 0
	for j := i; j < len(tokens) && j < i+maxMentionTokens; j++ {
		next, ok := x.follow(node, tokens[j].norm)
		end := x.endAt(text, tokens, i, j, next, ok)
		for _, singular := range singulars(tokens[j]) {
			if end != nil {
				break
			}
			plural, known := x.follow(node, singular)
			end = x.endAt(text, tokens, i, j, plural, known)
		}
		if end != nil {
			best, last = end, j
		}
		if !ok {
			break
		}
		node = next
	}
	return best, last
}

func (x *MentionIndex) follow(node int, word string) (int, bool) {
	id, ok := x.words[word]
	if !ok {
		return 0, false
	}
	next, ok := x.next[mentionStep{node, id}]
	return next, ok
}

// endAt is the name that ends at a node, where the text of tokens i to j is that name.
func (x *MentionIndex) endAt(text string, tokens []mentionToken, i, j, node int, known bool) *mentionEnd {
	if !known || x.ends[node] == nil || insideCompound(text, tokens[j].end, true) {
		return nil
	}
	end := x.ends[node]
	if end.care != careless && !slices.Contains(end.exact, text[tokens[i].start:tokens[j].end]) {
		return nil
	}
	if end.care == midSentence && (i == 0 || beginsSentence(tokens[i-1])) {
		return nil
	}
	return end
}

// beginsSentence tells whether a word behind this token may have its capital for its place only.
func beginsSentence(before mentionToken) bool {
	return before.script == notAWord && before.norm != "," && before.norm != "'" && before.norm != "-" && before.norm != "&"
}

// singulars are what a word may be the plural of.
func singulars(t mentionToken) []string {
	if t.script != spaced || utf8.RuneCountInString(t.norm) <= minPluralRunes || !strings.HasSuffix(t.norm, "s") {
		return nil
	}
	forms := []string{t.norm[:len(t.norm)-1]}
	if stem, ok := strings.CutSuffix(t.norm, "ies"); ok {
		forms = append(forms, stem+"y")
	} else if stem, ok := strings.CutSuffix(t.norm, "es"); ok {
		forms = append(forms, stem)
	}
	return slices.DeleteFunc(forms, func(s string) bool { return utf8.RuneCountInString(s) < minPluralRunes })
}

// insideCompound tells whether a name whose edge is at a byte goes on beyond that
// edge as a path, an address or an identifier does (after: the end, else the beginning).
func insideCompound(text string, at int, after bool) bool {
	inward, outward := text[at:], text[:at]
	first, last := utf8.DecodeRuneInString, utf8.DecodeLastRuneInString
	if after {
		inward, outward = outward, inward
		first, last = last, first
	}
	joiner, size := last(outward)
	if size == 0 || joiner >= utf8.RuneSelf || strings.IndexByte("._/@", byte(joiner)) < 0 {
		return false
	}
	beyond := outward[:len(outward)-size]
	if after {
		beyond = outward[size:]
	}
	edge, _ := first(inward)
	next, n := last(beyond)
	return n > 0 && scriptOf(edge) == spaced && scriptOf(next) == spaced
}
