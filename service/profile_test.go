package service_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func TestD4_DecayAfterExtraction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.extract(t, knowledge.TextExtraction{Text: "Redis"})
	b.days(31)
	b.extract(t, knowledge.TextExtraction{Text: "nothing that patterns know"})
	assert.InDelta(t, 0.85, b.find(t, "technology", "Redis").Confidence, 1e-9, "nothing was written")
	b.extract(t, knowledge.TextExtraction{Text: "Docker"})
	assert.InDelta(t, 0.85*0.95, b.find(t, "technology", "Redis").Confidence, 1e-9, "G3")
	assert.InDelta(t, 0.85, b.find(t, "technology", "Docker").Confidence, 1e-9)
	b.extract(t, knowledge.TextExtraction{Text: "Kubernetes"})
	assert.InDelta(t, 0.85*0.95, b.find(t, "technology", "Redis").Confidence, 1e-9, "G4: once in 24 hours")
	runs, err := b.all.Upkeep.Runs(t.Context(), b.ws.ID)
	require.NoError(t, err)
	assert.NotEmpty(t, runs)
}

func TestF8_ProfileForbidsTheRead(t *testing.T) {
	t.Parallel()
	for _, channel := range []knowledge.CallerChannel{knowledge.ChannelGroup, knowledge.ChannelPublic} {
		t.Run(string(channel), func(t *testing.T) {
			t.Parallel()
			b := withModel(t, saysEntries("fact|Plan|Northwind is on the Team plan."))
			to := b.to
			to.Caller.Profile.Channel = channel
			out, err := b.intake.ExtractFromText(t.Context(), to, knowledge.TextExtraction{Text: "Redis"})
			require.NoError(t, err)
			assert.Equal(t, "FORBIDDEN", *out.Skipped)
			event := sam("f1")
			event.Type = "received"
			mail, err := b.intake.IngestMailboxEvent(t.Context(), to, event)
			require.NoError(t, err)
			assert.Equal(t, "FORBIDDEN", *mail.Skipped)

			// A job keeps to what its caller may, long after that has left.
			job, err := b.all.Jobs.Create(t.Context(), to, service.JobRequest{Kind: knowledge.JobExtraction, Input: map[string]any{
				service.InputText: "Northwind confirmed that they are on the Team plan.", service.InputSourceID: "s1", service.InputSource: string(knowledge.SourceAgentExtracted),
			}})
			require.NoError(t, err)
			assert.Equal(t, channel, job.Caller.Profile.Channel)
			done := b.work(t, job.ID)
			assert.Equal(t, []int{1, 0, 1}, []int{done.Scanned, done.Extracted, done.Skipped})
			assert.Empty(t, b.server.Requests())
			assert.Equal(t, [3]int{}, b.counted(t))
		})
	}
}

func TestF8_ResultsNeverWidenRights(t *testing.T) {
	t.Parallel()
	b := withModel(t, saysEntries("fact|Plan|Northwind is on the Team plan."), saysLinks())
	ada, ben := b.person(t, "Ada"), b.person(t, "Ben")
	to := b.to
	to.Caller.Profile.ContactID = ada.ID
	for name, contacts := range map[string][]knowledge.EntityRef{"general": nil, "of another": {{ID: ben.ID}}} {
		m := message(name)
		m.Contacts = contacts
		b.server.Then(saysEntries("fact|Plan "+name+"|Northwind is on the Team plan, as "+name+" said."), saysLinks())
		out, err := b.all.Extraction.FromMessage(t.Context(), to, m)
		require.NoError(t, err)
		require.NotEmpty(t, out.Entries)
		assert.Equal(t, []string{ada.ID}, out.Entries[0].Entry.ContactIDs, name)
	}
}

func TestF4_RationaleOfARelation(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	one, two := b.entry(t, "One", "first"), b.entry(t, "Two", "second")
	draft := knowledge.RelationDraft{From: knowledge.EntryRef{ID: one.ID}, To: knowledge.EntryRef{ID: two.ID}, Type: knowledge.RelationCauses, Confidence: 1, Rationale: "because < NO-MEMORY /> of it"}
	for name, to := range map[string]service.Target{"manual": b.to, "agent": b.agent} {
		_, err := b.entries.Relate(t.Context(), to, draft)
		assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(err), name)
	}
	draft.Rationale = "because of it"
	_, err := b.entries.Relate(t.Context(), b.agent, draft)
	require.NoError(t, err)
}

func TestM19_OnceEverAlsoAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	var wg sync.WaitGroup
	on := true
	b.features = nil
	ws, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Features: map[knowledge.FeatureName]bool{knowledge.FeatureGraph: on}})
	require.NoError(t, err)
	ws.Switches = knowledge.FeatureSwitches{linkerOn: on, agentOn: on}
	for range 8 {
		wg.Go(func() {
			for _, name := range []knowledge.FeatureName{linkerOn, agentOn} {
				assert.NoError(t, b.all.Backfill.Switched(t.Context(), b.to, ws, name))
			}
		})
	}
	wg.Wait()
	assert.Len(t, b.jobsOf(t, knowledge.JobRelationBackfill), 1)
	assert.Len(t, b.jobsOf(t, knowledge.JobBackfill), 1, "M15")
}

func TestQ5_SwitchesAreAudited(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	b.clock.advance(time.Second)
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: true})
	b.turn(t, map[knowledge.FeatureName]bool{agentOn: false})
	assert.Contains(t, b.actions(t), "agent.backfill_started")
	page, err := b.all.Audit.List(t.Context(), b.ws.ID, knowledge.PageRequest{First: 50})
	require.NoError(t, err)
	flags := 0
	for _, e := range page.Items {
		if _, changed := e.Detail[string(agentOn)]; changed && e.Action == "workspace.updated" {
			flags++
			assert.Equal(t, "test", e.Actor)
		}
	}
	n, err := b.all.Audit.Count(t.Context(), b.ws.ID)
	require.NoError(t, err)
	assert.Len(t, page.Items, n)
	assert.Equal(t, 2, flags, "each change, with who made it")
}

func TestT19_WhatAnExtractionWasToRead(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	ada := b.person(t, "Ada Lovelace")
	kept := b.person(t, "Ben Ford")
	var ids []string
	for _, text := range []string{"Ada Lovelace moved to Lisbon in the spring.", "Ben Ford bought a bicycle in the spring."} {
		about := ada.ID
		if len(ids) > 0 {
			about = kept.ID
		}
		out, err := b.all.Remember.Remember(t.Context(), b.agent, knowledge.RememberDraft{Text: text, About: []knowledge.EntityRef{{ID: about}}})
		require.NoError(t, err)
		ids = append(ids, out.Job.ID)
	}
	_, err := b.all.Curation.EraseContact(t.Context(), b.to, ada.ID, "Ada Lovelace", false)
	require.NoError(t, err)
	jobs, err := b.all.Jobs.ByIDs(t.Context(), b.ws.ID, ids)
	require.NoError(t, err)
	assert.Empty(t, jobs[ids[0]].Input)
	assert.Contains(t, jobs[ids[1]].Text(service.InputText), "bicycle")
	done := b.work(t, ids[0])
	assert.Equal(t, []int{1, 0}, []int{done.Scanned, done.Extracted})
	assert.Empty(t, b.server.Requests(), "there is nothing left to read")
}
