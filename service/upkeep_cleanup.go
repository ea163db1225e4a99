package service

import (
	"context"
	"fmt"
	"slices"

	"mneme/knowledge"
)

// CleanupStore reads what older imports left, and takes it away.
type CleanupStore interface {
	UnkeyedEntities(ctx context.Context, workspaceID string) ([]knowledge.CleanupEntity, error)
	Namesakes(ctx context.Context, workspaceID string, of []knowledge.CleanupEntity) ([]knowledge.CleanupEntity, error)
	UnkeyEntities(ctx context.Context, workspaceID string, entities []knowledge.CleanupEntity) error
	AutomaticEntities(ctx context.Context, workspaceID, typeKey string) ([]*knowledge.Entity, error)
	// UnprotectedEntities are those that only the machine spoke of (SPEC H6).
	UnprotectedEntities(ctx context.Context, workspaceID string, ids []string) ([]string, error)
	AutomaticEmployments(ctx context.Context, workspaceID string, ids []string) ([]string, error)
	DeleteEdges(ctx context.Context, workspaceID string, ids []string) (int, error)
	EntitiesWithRepeats(ctx context.Context, workspaceID string) ([]string, error)
	AllObservationsOf(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error)
	DropObservations(ctx context.Context, workspaceID string, drops []knowledge.ObservationDrop) (int, error)
}

// Counts of the cleanup (SPEC H5).
const (
	countCaseDuplicates = "caseDuplicatesMerged"
	countNoise          = "noisyTechnologiesDeleted"
	countFreeMail       = "freeMailOrganizationsDeleted"
	countFreeMailEdges  = "freeMailEdgesDeleted"
	countSubdomains     = "subdomainOrganizationsFixed"
	countSenders        = "automatedSendersDeleted"
	countObservations   = "observationsDeduped"
)

// cleanup is CLEANUP: a step is a phase.
type cleanup struct {
	store    CleanupStore
	curation *Curation
}

// AddCleanup adds the task CLEANUP (SPEC H1–H15).
func (s *Upkeep) AddCleanup(store CleanupStore, curation *Curation) {
	s.tasks[knowledge.TaskCleanup] = upkeepTask{plan: cleanup{store, curation}.plan, whole: true, counts: []string{
		countCaseDuplicates, countNoise, countFreeMail, countFreeMailEdges, countSubdomains, countSenders, countObservations,
	}}
}

// phases are the phases in their order (SPEC H4), by name.
func (c cleanup) phases() []struct {
	name string
	run  func(ctx context.Context, run *upkeepRun, done *stepDone) error
} {
	return []struct {
		name string
		run  func(ctx context.Context, run *upkeepRun, done *stepDone) error
	}{
		{"merge_case_duplicates", c.caseDuplicates},
		{"noisy_technologies", c.noise},
		{"free_mail_organizations", c.freeMail},
		{"subdomain_organizations", c.subdomains},
		{"automated_senders", c.senders},
		{"dedupe_observations", c.observations},
	}
}

// plan is the phase behind the one that the run came to last.
func (c cleanup) plan(_ context.Context, run *upkeepRun) (upkeepStep, error) {
	phases := c.phases()
	next := 0
	for i, phase := range phases {
		if phase.name == run.record.Cursor {
			next = i + 1
		}
	}
	return func(ctx context.Context) (stepDone, error) {
		done := stepDone{cursor: run.record.Cursor, last: true}
		if next == len(phases) {
			return done, nil
		}
		done.cursor, done.last = phases[next].name, next == len(phases)-1
		err := phases[next].run(ctx, run, &done)
		return done, err
	}, nil
}

func (d *stepDone) count(key string, n int) {
	d.counts = append(d.counts, knowledge.Count{Key: key, Count: n})
}

func (d *stepDone) example(format string, args ...any) {
	if len(d.examples) < maxExamples {
		d.examples = append(d.examples, fmt.Sprintf(format, args...))
	}
}

// caseDuplicates gives every entity its key and merges those that would have the same (SPEC H7).
func (c cleanup) caseDuplicates(ctx context.Context, run *upkeepRun, done *stepDone) error {
	found, err := c.store.UnkeyedEntities(ctx, run.ws.ID)
	if err != nil || len(found) == 0 {
		return err
	}
	namesakes, err := c.store.Namesakes(ctx, run.ws.ID, found)
	if err != nil {
		return err
	}
	merged := 0
	for _, group := range knowledge.CaseGroups(append(found, namesakes...)) {
		if err := c.settle(ctx, run, group); err != nil {
			return err
		}
		for chunk := range slices.Chunk(group.Merge, knowledge.MaxMerged) {
			ids := make([]string, len(chunk))
			for i, e := range chunk {
				ids[i] = e.ID
				done.example("%s %q goes into %q", e.TypeKey, e.Name, group.Canonical.Name)
			}
			if err := c.merge(ctx, run, group.Canonical.ID, ids, nil); err != nil {
				return err
			}
			merged += len(ids)
		}
	}
	done.count(countCaseDuplicates, merged)
	return nil
}

// settle makes the entities of a group unique: the canonical one has the plain key, unless
// a namesake that is something else has it already.
func (c cleanup) settle(ctx context.Context, run *upkeepRun, group knowledge.CaseGroup) error {
	if len(group.Merge) > 0 {
		if err := c.store.UnkeyEntities(ctx, run.ws.ID, group.Merge); err != nil {
			return err
		}
	}
	taken := slices.ContainsFunc(group.Apart, func(e knowledge.CleanupEntity) bool { return e.Keyed })
	for i, e := range append([]knowledge.CleanupEntity{group.Canonical}, group.Apart...) {
		if e.Keyed {
			continue
		}
		discriminator := ""
		if i > 0 || taken { // it has an identity, or it would not be apart
			discriminator = e.Identities[0].Kind + ":" + e.Identities[0].Value
		}
		write := knowledge.EntityWrite{Before: e.Entity, After: knowledge.AdoptedEntity(e.Entity, discriminator, run.now())}
		if err := c.curation.c.Entities.store.WriteEntities(ctx, run.ws.ID, []knowledge.EntityWrite{write}); err != nil {
			return err
		}
	}
	return nil
}

// merge makes entities one, as mergeEntities does (SPEC H8); after changes what is decided.
func (c cleanup) merge(ctx context.Context, run *upkeepRun, keep string, ids []string, after func(plan *knowledge.MergePlan)) error {
	plan := knowledge.MergePlan{ID: c.curation.c.NewID(knowledge.PrefixMerge), WorkspaceID: run.ws.ID, At: run.now(), Actor: knowledge.ActorAuto}
	if err := c.curation.decideMerge(ctx, &plan, keep, ids); err != nil {
		return err
	}
	if after != nil {
		after(&plan)
	}
	return c.curation.c.Merges.ApplyMerge(ctx, &plan)
}

// automatic are the automatic entities of a type that a rule picks, locked.
func (c cleanup) automatic(ctx context.Context, run *upkeepRun, typeKey string, picks func(*knowledge.Entity) bool) ([]*knowledge.Entity, error) {
	all, err := c.store.AutomaticEntities(ctx, run.ws.ID, typeKey)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range all {
		if picks(e) {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	locked, err := c.curation.c.Entities.store.LockEntities(ctx, run.ws.ID, ids)
	return slices.DeleteFunc(locked, func(e *knowledge.Entity) bool { return !picks(e) }), err
}

// remove removes those of some locked entities that are unprotected, and gives how many.
func (c cleanup) remove(ctx context.Context, run *upkeepRun, entities []*knowledge.Entity, done *stepDone) (int, error) {
	ids := make([]string, len(entities))
	names := make(map[string]string, len(entities))
	for i, e := range entities {
		ids[i], names[e.ID] = e.ID, e.Name
	}
	free, err := c.store.UnprotectedEntities(ctx, run.ws.ID, ids)
	if err != nil {
		return 0, err
	}
	for _, id := range free {
		if _, err := c.curation.c.Entities.remove(ctx, run.ws.ID, id); err != nil {
			return 0, err
		}
		done.example("%q goes", names[id])
	}
	return len(free), nil
}

// noise removes technologies that are words (SPEC H10).
func (c cleanup) noise(ctx context.Context, run *upkeepRun, done *stepDone) error {
	found, err := c.automatic(ctx, run, "technology", func(e *knowledge.Entity) bool { return knowledge.NoisyTechnology(e.Name) })
	if err != nil {
		return err
	}
	n, err := c.remove(ctx, run, found, done)
	done.count(countNoise, n)
	return err
}

// freeMail removes mail providers that were taken for employers (SPEC H11).
func (c cleanup) freeMail(ctx context.Context, run *upkeepRun, done *stepDone) error {
	found, err := c.automatic(ctx, run, knowledge.TypeOrganization, knowledge.FreeMailOrganization)
	if err != nil || len(found) == 0 {
		return err
	}
	ids := make([]string, len(found))
	for i, e := range found {
		ids[i] = e.ID
	}
	edges, err := c.store.AutomaticEmployments(ctx, run.ws.ID, ids)
	if err != nil {
		return err
	}
	cut, err := c.store.DeleteEdges(ctx, run.ws.ID, edges)
	if err != nil {
		return err
	}
	n, err := c.remove(ctx, run, found, done)
	done.count(countFreeMail, n)
	done.count(countFreeMailEdges, cut)
	return err
}

// subdomains names organisations after their domain that were named after a part of it (SPEC H12).
func (c cleanup) subdomains(ctx context.Context, run *upkeepRun, done *stepDone) error {
	found, err := c.automatic(ctx, run, knowledge.TypeOrganization, func(e *knowledge.Entity) bool { return knowledge.SubdomainOrganization(e) != "" })
	if err != nil {
		return err
	}
	for _, e := range found {
		name := knowledge.SubdomainOrganization(e)
		there, err := c.store.Namesakes(ctx, run.ws.ID, []knowledge.CleanupEntity{{Entity: &knowledge.Entity{TypeKey: e.TypeKey, Name: name}}})
		if err != nil {
			return err
		}
		if len(there) > 0 {
			done.example("organization %q goes into %q", e.Name, there[0].Name)
			err = c.merge(ctx, run, there[0].ID, []string{e.ID}, func(plan *knowledge.MergePlan) {
				// A part of a domain is no other name of its owner.
				plan.After.Aliases = slices.DeleteFunc(slices.Clone(plan.After.Aliases), func(alias string) bool {
					return knowledge.NormalizeName(alias) == e.NormalizedName && !slices.Contains(plan.Keep.Aliases, alias)
				})
			})
		} else {
			done.example("organization %q is renamed %q", e.Name, name)
			err = c.curation.c.Entities.store.WriteEntities(ctx, run.ws.ID, []knowledge.EntityWrite{{Before: e, After: knowledge.RenamedOrganization(e, name, run.now())}})
		}
		if err != nil {
			return err
		}
	}
	done.count(countSubdomains, len(found))
	return nil
}

// senders removes machines that were taken for persons (SPEC H13).
func (c cleanup) senders(ctx context.Context, run *upkeepRun, done *stepDone) error {
	found, err := c.automatic(ctx, run, knowledge.TypePerson, knowledge.AutomatedSender)
	if err != nil {
		return err
	}
	n, err := c.remove(ctx, run, found, done)
	done.count(countSenders, n)
	return err
}

// observations keeps one of several observations of one text on an entity (SPEC C11).
func (c cleanup) observations(ctx context.Context, run *upkeepRun, done *stepDone) error {
	ids, err := c.store.EntitiesWithRepeats(ctx, run.ws.ID)
	if err != nil {
		return err
	}
	dropped := 0
	for chunk := range slices.Chunk(ids, knowledge.MaxPage) {
		if _, err := c.curation.c.Entities.store.LockEntities(ctx, run.ws.ID, chunk); err != nil {
			return err
		}
		all, err := c.store.AllObservationsOf(ctx, run.ws.ID, chunk)
		if err != nil {
			return err
		}
		byEntity := map[string][]*knowledge.Observation{}
		for _, o := range all {
			byEntity[o.EntityID] = append(byEntity[o.EntityID], o)
		}
		var drops []knowledge.ObservationDrop
		for _, id := range chunk {
			drops = append(drops, knowledge.EqualObservations(byEntity[id])...)
		}
		if len(drops) == 0 {
			continue
		}
		n, err := c.store.DropObservations(ctx, run.ws.ID, drops)
		if err != nil {
			return err
		}
		dropped += n
	}
	if dropped > 0 {
		done.example("%d observations say what others of the same entity say", dropped)
	}
	done.count(countObservations, dropped)
	return nil
}
