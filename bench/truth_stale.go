package bench

import (
	"context"
	"fmt"
	"strings"

	"mneme/knowledge"
)

const (
	// staleSubjects is how many things the knowledge of a history is about, and staleLimit
	// how many hits a question asks for: more than recall starts its walk from.
	staleSubjects = 40
	staleLimit    = 30
)

// statement is one thing that is said of a subject: later ones replace earlier ones by a
// relation, or end them, or both.
type statement struct {
	id         string
	superseded bool // by one that is current
	ended      bool
}

// askStale says of each subject, several times over, what it is now, in random order, and
// asks for all of it: a hit that a later one superseded is to be marked, and what has
// ended is not to be there.
func (r *truthRun) askStale(ctx context.Context, out *TruthResult) error {
	said := map[string]*statement{}
	places := []string{"Berlin", "Vienna", "Lisbon", "Oslo", "Turin", "Ghent"}
	for n := range staleSubjects {
		var chain []*statement
		for range 1 + r.random.IntN(4) {
			s, err := r.say(ctx, n, places[r.random.IntN(len(places))], len(chain))
			if err != nil {
				return err
			}
			said[s.id] = s
			if len(chain) > 0 {
				before := chain[len(chain)-1]
				if r.random.IntN(3) > 0 {
					before.superseded = true
					err = r.supersede(ctx, s, before)
				} else {
					before.ended = true
					err = r.end(ctx, before)
				}
				if err != nil {
					return err
				}
			}
			chain = append(chain, s)
		}
		// What an ended statement superseded is not superseded by anything current.
		for i, s := range chain[:len(chain)-1] {
			s.superseded = s.superseded && !chain[i+1].ended
		}
		r.report("telling what is replaced", n+1, staleSubjects)
	}
	for n := range staleSubjects {
		if err := r.recallStale(ctx, fmt.Sprintf("where does the team of project %d sit", n), said, out); err != nil {
			return err
		}
		r.report("asking for what is replaced", n+1, staleSubjects)
	}
	return nil
}

func (r *truthRun) say(ctx context.Context, subject int, place string, turn int) (*statement, error) {
	var made struct {
		CreateEntry struct{ Entry struct{ ID string } }
	}
	err := r.API.Do(ctx, `mutation($w: String!, $i: CreateEntryInput!) { createEntry(workspace: $w, input: $i) { entry { id } } }`, r.vars(map[string]any{
		"title": fmt.Sprintf("Office of project %d", subject), "content": fmt.Sprintf("The team of project %d sits in %s (note %d).", subject, place, turn),
	}), &made)
	return &statement{id: made.CreateEntry.Entry.ID}, err
}

func (r *truthRun) supersede(ctx context.Context, later, earlier *statement) error {
	var made struct{}
	return r.API.Do(ctx, `mutation($w: String!, $i: CreateRelationInput!) { createRelation(workspace: $w, input: $i) { created } }`, r.vars(map[string]any{
		"from": map[string]any{"id": later.id}, "to": map[string]any{"id": earlier.id}, "type": strings.ToUpper(string(knowledge.RelationSupersedes)),
	}), &made)
}

func (r *truthRun) end(ctx context.Context, s *statement) error {
	var made struct{}
	return r.API.Do(ctx, `mutation($w: String!, $i: EndEntryInput!) { endEntry(workspace: $w, input: $i) { entry { id } } }`, r.vars(map[string]any{"id": s.id}), &made)
}

// recallStale asks one question and counts the hits, the stale ones without a mark, the
// current ones with one, and those that have ended.
func (r *truthRun) recallStale(ctx context.Context, question string, said map[string]*statement, out *TruthResult) error {
	var answer struct {
		Workspace struct {
			Recall struct {
				Hits []struct {
					Stale bool
					Entry struct{ ID string }
				}
			}
		}
	}
	err := r.API.Do(ctx, `query($w: String!, $q: String!, $n: Int!) { workspace(key: $w) { recall(input: { query: $q, scope: { orgWide: true }, limit: $n }) { hits { stale entry { id } } } } }`,
		map[string]any{"w": r.key, "q": question, "n": staleLimit}, &answer)
	if err != nil {
		return err
	}
	hits := answer.Workspace.Recall.Hits
	out.Hits += len(hits)
	for _, h := range hits {
		switch s := said[h.Entry.ID]; {
		case s == nil:
			return fmt.Errorf("an entry that nobody wrote was found: %q", h.Entry.ID)
		case s.ended, s.superseded && !h.Stale:
			out.StaleUnmarked++
		case !s.superseded && h.Stale:
			out.WronglyStale++
		}
	}
	return nil
}
