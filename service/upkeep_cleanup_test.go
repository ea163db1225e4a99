package service_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// oldImport is a workspace as older imports left it (SPEC H15).
type oldImport struct {
	*bundle
	ids map[string]string
}

func (o *oldImport) add(t *testing.T, to service.Target, typ, name, description string, properties map[string]any) {
	t.Helper()
	d := knowledge.EntityDraft{Type: typ, Name: name, Properties: properties}
	if description != "" {
		d.Description = &description
	}
	up, err := o.entities.Upsert(t.Context(), to, d)
	require.NoError(t, err)
	o.ids[name] = up.Entity.ID
}

func (o *oldImport) note(t *testing.T, to service.Target, name, text string) {
	t.Helper()
	_, err := o.notes.Add(t.Context(), to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: o.ids[name]}, Text: text})
	require.NoError(t, err)
}

func (o *oldImport) works(t *testing.T, person, at string) {
	t.Helper()
	_, err := o.edges.Assert(t.Context(), o.auto, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: o.ids[person]}, To: knowledge.EntityRef{ID: o.ids[at]}, Type: "works_at"})
	require.NoError(t, err)
}

func mailbox(more ...string) map[string]any {
	out := map[string]any{"source": "mailbox"}
	for i := 0; i+1 < len(more); i += 2 {
		out[more[i]] = more[i+1]
	}
	return out
}

func newOldImport(t *testing.T) *oldImport {
	t.Helper()
	o := &oldImport{bundle: setup(t), ids: map[string]string{}}
	for _, name := range []string{"go", "rest", "electron", "TypeScript", "express"} {
		o.add(t, o.auto, "technology", name, "", nil)
	}
	o.note(t, o.agent, "express", "the framework, not the word")
	o.add(t, o.to, "technology", "React", "", nil)
	// Two of one name cannot be made through the product: one loses its key for a moment.
	o.cypher(t, "MATCH (e:Entity {id: $id}) REMOVE e.normalizedName, e.discriminator, e.slug", map[string]any{"id": o.ids["electron"]})
	o.add(t, o.auto, "technology", "Electron", "", nil)
	o.note(t, o.auto, "electron", "used for the desktop client")

	o.add(t, o.auto, "person", "Ada", "", mailbox("email", "ada@gmail.com"))
	o.add(t, o.auto, "organization", "Gmail", "", mailbox("domain", "gmail.com"))
	o.works(t, "Ada", "Gmail")
	o.add(t, o.auto, "organization", "Privaterelay", "", mailbox())
	o.add(t, o.auto, "organization", "Amazon", "", mailbox("domain", "amazon.com"))
	o.add(t, o.auto, "organization", "News", "", mailbox("domain", "news.amazon.com"))
	o.works(t, "Ada", "News")
	o.note(t, o.auto, "News", "sent a parcel")
	o.add(t, o.auto, "organization", "Accounts", "Organization that writes from accounts.google.com", mailbox("domain", "accounts.google.com"))
	o.add(t, o.auto, "organization", "Acme Corp", "", mailbox("domain", "mail.acme.com"))

	o.add(t, o.auto, "person", "Shop", "", mailbox("email", "no-reply@shop.example"))
	o.add(t, o.auto, "person", "Bank", "Mail contact notifications@bank.example", mailbox())
	o.add(t, o.agent, "person", "Alerts", "", mailbox("email", "alerts@status.example"))
	o.add(t, o.auto, "person", "Noreply", "", mailbox("email", "noreply@partner.example"))
	o.note(t, o.agent, "Noreply", "a person reads this one")

	o.note(t, o.auto, "Ada", "Likes   tea")
	o.cypher(t, `MATCH (e:Entity {id: $id})
CREATE (o:Observation {id: $id + '_o', workspaceId: e.workspaceId, entityId: e.id, text: 'likes TEA', name: 'likes TEA', source: 'agent', fingerprint: 'old:1', observedAt: $now, createdAt: $now})-[:OBSERVED_ON]->(e)`,
		map[string]any{"id": o.ids["Ada"], "now": o.clock.Now().Add(time.Hour)})
	return o
}

func (o *oldImport) names(t *testing.T, typ string) []string {
	t.Helper()
	var out []string
	for _, r := range o.cypher(t, "MATCH (e:Entity {workspaceId: $ws, type: $type}) RETURN e.name", map[string]any{"ws": o.ws.ID, "type": typ}) {
		name, _ := r.Values[0].(string)
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// H15, with H1 and H4 to H13: the worked example.
func TestH4_H5_H6_H10_H11_H12_H13_H15_Cleanup(t *testing.T) {
	t.Parallel()
	o := newOldImport(t)
	other := &oldImport{bundle: setup(t), ids: map[string]string{}}
	other.add(t, other.agent, "organization", "Gmail", "", mailbox("domain", "gmail.com"))

	before := o.dump(t)
	dry := o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup, DryRun: true})
	assert.Equal(t, before, o.dump(t), "a dry run changes nothing")
	assert.NotEmpty(t, dry.Examples)

	want := []knowledge.Count{
		{Key: "caseDuplicatesMerged", Count: 1},
		{Key: "noisyTechnologiesDeleted", Count: 2},
		{Key: "freeMailOrganizationsDeleted", Count: 2},
		{Key: "freeMailEdgesDeleted", Count: 1},
		{Key: "subdomainOrganizationsFixed", Count: 2},
		{Key: "automatedSendersDeleted", Count: 2},
		{Key: "observationsDeduped", Count: 1},
	}
	assert.Equal(t, want, dry.Counts)
	run := o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup})
	assert.Equal(t, want, run.Counts)
	assert.Equal(t, []string{"Electron", "React", "TypeScript", "express"}, o.names(t, "technology"))
	assert.Equal(t, []string{"Acme Corp", "Amazon", "Google"}, o.names(t, "organization"))
	assert.Equal(t, []string{"Ada", "Alerts", "Noreply"}, o.names(t, "person"))
	assert.Empty(t, o.cypher(t, "MATCH (e:Entity {workspaceId: $ws}) WHERE e.normalizedName IS NULL OR e.discriminator IS NULL RETURN e", map[string]any{"ws": o.ws.ID}), "all have keys")

	amazon := o.lookUp(t, o.ids["Amazon"])
	assert.Empty(t, amazon.Aliases, "a part of its domain is no name of it")
	notes, err := o.notes.OfEntities(t.Context(), o.ws.ID, []string{o.ids["Amazon"], o.ids["Ada"], o.ids["Electron"]}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	assert.Equal(t, "sent a parcel", notes[o.ids["Amazon"]].Items[0].Text, "its note moved")
	assert.Len(t, notes[o.ids["Ada"]].Items, 1)
	assert.Equal(t, knowledge.ActorAgent, notes[o.ids["Ada"]].Items[0].Source, "C11: the stronger writer's stays")
	assert.Len(t, o.cypher(t, "MATCH (:Entity {id: $a})-[r:WORKS_AT]->(:Entity {id: $b}) RETURN r", map[string]any{"a": o.ids["Ada"], "b": o.ids["Amazon"]}), 1, "its edge moved")
	google := o.lookUp(t, o.ids["Accounts"])
	assert.Equal(t, "Organization that writes from accounts.google.com", *google.Description)
	assert.Equal(t, []string{"Gmail"}, other.names(t, "organization"))

	assert.Equal(t, knowledge.OutcomeAlreadyDone, o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup}).Outcome, "H1: the second run")
	marker := o.cypher(t, "MATCH (m:MaintenanceState {workspaceId: $ws, marker: 'kg_quality_cleanup_v1'}) SET m.marker = null, m.markedAt = null RETURN m.markerCounts", map[string]any{"ws": o.ws.ID})
	require.Len(t, marker, 1)
	assert.Contains(t, marker[0].Values[0], `["caseDuplicatesMerged",1]`)
	for _, c := range o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup}).Counts {
		assert.Zero(t, c.Count, "with the marker removed: %s", c.Key)
	}
}

// H8: what the cleanup merged can be taken apart again.
func TestH8_CleanupMergesAreArchived(t *testing.T) {
	t.Parallel()
	o := newOldImport(t)
	o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup})
	merges := o.cypher(t, "MATCH (m:Merge {workspaceId: $ws}) RETURN m.id, m.name ORDER BY m.name", map[string]any{"ws": o.ws.ID})
	require.Len(t, merges, 2)
	for _, m := range merges {
		id, _ := m.Values[0].(string)
		found, err := o.all.Curation.Unmerge(t.Context(), o.to, id)
		require.NoError(t, err, m.Values[1])
		assert.Len(t, found, 2)
	}
}

// H3: a live claim of another server is respected for an hour; an expired one and one's own are not.
func TestH3_CleanupIsClaimed(t *testing.T) {
	t.Parallel()
	o := newOldImport(t)
	first := o.server(interruptedAt(2))
	call := service.MaintenanceCall{Task: knowledge.TaskCleanup}
	_, err := first.Upkeep.Run(t.Context(), o.to, call)
	require.Error(t, err)
	// As if the server had died: the lease that it gave back is there again.
	o.cypher(t, "MATCH (m:MaintenanceState {workspaceId: $ws, task: 'cleanup'}) SET m.holder = 'dead', m.until = $until", map[string]any{"ws": o.ws.ID, "until": o.clock.Now().Add(time.Hour)})
	held := o.maintain(t, call)
	assert.Equal(t, knowledge.OutcomeHeld, held.Outcome)
	assert.Equal(t, "dead", held.Holder)
	assert.Equal(t, knowledge.OutcomeHeld, o.maintain(t, forced(knowledge.TaskCleanup)).Outcome, "force does not break in")
	o.clock.advance(time.Hour)
	run := o.maintain(t, call)
	assert.Equal(t, knowledge.OutcomeRan, run.Outcome)
	assert.Equal(t, 1, run.Count("caseDuplicatesMerged"), "what was done before counts")
	assert.Equal(t, 1, run.Count("observationsDeduped"))
}

// H7, T7: namesakes of different identities are told apart, not merged; of many the canonical stays.
func TestH7_CaseDuplicates(t *testing.T) {
	t.Parallel()
	o := &oldImport{bundle: setup(t), ids: map[string]string{}}
	for i, name := range []string{"Anna Berg", "anna BERG", "ANNA berg"} {
		o.add(t, []service.Target{o.auto, o.agent, o.auto}[i], "person", name, "", nil)
		o.cypher(t, "MATCH (e:Entity {id: $id}) REMOVE e.normalizedName, e.discriminator", map[string]any{"id": o.ids[name]})
	}
	up, err := o.entities.Upsert(t.Context(), o.auto, knowledge.EntityDraft{Type: "person", Name: "Ben", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "ben@a.example"}}})
	require.NoError(t, err)
	o.cypher(t, "MATCH (e:Entity {id: $id}) REMOVE e.normalizedName, e.discriminator", map[string]any{"id": up.Entity.ID})
	_, err = o.entities.Upsert(t.Context(), o.auto, knowledge.EntityDraft{Type: "person", Name: "ben", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "ben@b.example"}}})
	require.NoError(t, err)
	run := o.maintain(t, service.MaintenanceCall{Task: knowledge.TaskCleanup})
	assert.Equal(t, 2, run.Count("caseDuplicatesMerged"))
	assert.Equal(t, []string{"Ben", "anna BERG", "ben"}, o.names(t, "person"), "the strongest source stays; two of different addresses are two")
}
