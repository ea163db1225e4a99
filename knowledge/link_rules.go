package knowledge

import "slices"

// Sizes of linking (SPEC M9, M11).
const (
	MaxLinkBatch      = 25 // entries of a batch that are joined with each other
	MaxThreadLinks    = 25 // earlier entries of a thread that one is joined with
	CandidatesPerNote = 5
	MaxLinkCandidates = 15
	structuralWeight  = 0.5
)

// NearDuplicate is the cosine from which two entries say about the same (SPEC N5).
const NearDuplicate = 0.95

// NearEnough is the cosine from which two entries may contradict each other.
const NearEnough = 0.6

// StructuralPair is two entries that are joined because of where they stand.
type StructuralPair struct {
	From, To string
	Weight   float64
}

// StructuralPairs are the pairs of SPEC M9: all of a batch, in its order, and each of
// the batch with earlier entries of its thread, nearest first. The weight falls with
// the distance in messages. Pairs of different contacts are left out (SPEC K24).
func StructuralPairs(batch, thread []*Entry) []StructuralPair {
	batch = batch[:min(len(batch), MaxLinkBatch)]
	places := messagePlaces(batch)
	var pairs []StructuralPair
	for i, from := range batch {
		for j, to := range batch[i+1:] {
			if from.ID != to.ID && MayLink(from.ContactIDs, to.ContactIDs) {
				pairs = append(pairs, StructuralPair{from.ID, to.ID, fallingWeight(places[i+1+j] - places[i])})
			}
		}
	}
	for n, from := range batch {
		for i, to := range earlierInThread(from, batch, thread) {
			distance := to.distance
			if distance > 0 {
				distance += places[n]
			}
			if MayLink(from.ContactIDs, to.entry.ContactIDs) && i < MaxThreadLinks {
				pairs = append(pairs, StructuralPair{from.ID, to.entry.ID, fallingWeight(distance)})
			}
		}
	}
	return pairs
}

func fallingWeight(distance int) float64 { return structuralWeight / float64(max(1, distance)) }

// messagePlaces are the places of a batch's entries, counted in messages: entries of one
// source are one message, one without a source is a message of its own.
func messagePlaces(batch []*Entry) []int {
	places := make([]int, len(batch))
	for i := 1; i < len(batch); i++ {
		places[i] = places[i-1]
		a, b := batch[i-1].SourceID, batch[i].SourceID
		if a == nil || b == nil || *a != *b {
			places[i]++
		}
	}
	return places
}

type threadEntry struct {
	entry    *Entry
	distance int // in messages
}

// earlierInThread are the entries of a thread before one, newest first, with their distance.
// Thread is newest first.
func earlierInThread(of *Entry, batch, thread []*Entry) []threadEntry {
	if of.ThreadID == nil {
		return nil
	}
	var out []threadEntry
	var messages []string
	for _, e := range thread {
		if e.ThreadID == nil || *e.ThreadID != *of.ThreadID || slices.ContainsFunc(batch, func(b *Entry) bool { return b.ID == e.ID }) || e.CreatedAt.After(of.CreatedAt) {
			continue
		}
		message := e.ID // what has no source is a message of its own
		if e.SourceID != nil {
			message = *e.SourceID
		}
		if of.SourceID != nil && message == *of.SourceID {
			out = append(out, threadEntry{e, 0})
			continue
		}
		if !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
		out = append(out, threadEntry{e, slices.Index(messages, message) + 1})
	}
	return out
}
