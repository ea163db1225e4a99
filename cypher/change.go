package cypher

import (
	"context"
	_ "embed"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/change_list.cypher
var changeList statement

//go:embed queries/redirects_to.cypher
var redirectsTo statement

// changeSource is how changes of one kind are read: all of a workspace through the index
// of their moment, those about an entity from that entity.
type changeSource struct {
	match, about string // about is empty where nothing of the kind is about an entity
	at           string
	actor        string
	where        string
}

const (
	edgesAbout   = "MATCH (:Entity {id: $about})-[n]-(:Entity)"
	entriesAbout = "MATCH (:Entity {id: $about})<-[:ABOUT|MENTIONS]-(n:Entry) WITH DISTINCT n"
	entryActor   = "coalesce(n.directSource, head([(n)-[s:SUPPORTED_BY]->() | s.source]))"
	mergesAbout  = "MATCH (n:Merge {workspaceId: $ws})"
)

var changeSources = map[knowledge.ChangeSource]changeSource{
	knowledge.EdgesAsserted:        {"MATCH (n:Fact {workspaceId: $ws})", edgesAbout, "createdAt", "n.source", ""},
	knowledge.EdgesEnded:           {"MATCH (n:Fact {workspaceId: $ws})", edgesAbout, "invalidatedAt", "n.source", ""},
	knowledge.ObservationsAsserted: {"MATCH (n:Observation {workspaceId: $ws})", "MATCH (n:Observation)-[:OBSERVED_ON]->(:Entity {id: $about})", "createdAt", "n.source", ""},
	knowledge.EntriesAsserted:      {"MATCH (n:Entry {workspaceId: $ws})", entriesAbout, "createdAt", entryActor, ""},
	knowledge.EntriesEnded:         {"MATCH (n:Entry {workspaceId: $ws})", entriesAbout, "invalidatedAt", entryActor, ""},
	knowledge.EntitiesMerged:       {"MATCH (n:Merge {workspaceId: $ws})", mergesAbout, "at", "n.actor", "AND (size($ids) = 0 OR any(id IN $ids WHERE id IN n.entityIds))"},
	knowledge.EntitiesUnmerged:     {"MATCH (n:Merge {workspaceId: $ws})", mergesAbout, "undoneAt", "n.undoneBy", "AND (size($ids) = 0 OR any(id IN $ids WHERE id IN n.entityIds))"},
	knowledge.ContactsErased:       {"MATCH (n:AuditEvent {workspaceId: $ws})", "", "at", "n.detail", "AND n.name = $action"},
}

// Changes are what a workspace was told of one kind, newest first: at most the limit of
// the range is read.
func (s *Store) Changes(ctx context.Context, workspaceID string, source knowledge.ChangeSource, in knowledge.ChangeRange) ([]knowledge.ChangeMark, error) {
	how := changeSources[source]
	params := map[string]any{
		"ws": workspaceID, "since": in.Since, "until": openEnd, "before": openEnd, "source": string(source), "key": "", "limit": in.Limit,
		"about": nil, "ids": orEmpty(in.About), "action": knowledge.ActionErased,
	}
	match := how.match
	if len(in.About) > 0 {
		if how.about == "" {
			return nil, nil
		}
		match, params["about"] = how.about, in.About[0]
	}
	if in.Until != nil {
		params["until"] = *in.Until
	}
	if in.Before != nil {
		params["before"], params["key"] = in.Before.At, in.Before.Key
	}
	text := strings.NewReplacer("{{match}}", match, "{{at}}", how.at, "{{actor}}", how.actor, "{{where}}", how.where).Replace(string(changeList))
	return runText(ctx, s, changeList, text, params, func(r row) knowledge.ChangeMark {
		mark := knowledge.ChangeMark{Source: source, ID: r.text("id"), At: propsOf(map[string]any{"at": r.value("at")}).time("at"), Actor: knowledge.Actor(r.text("actor")), Entity: r.text("entity")}
		if source == knowledge.ContactsErased {
			actor, _ := propsOf(map[string]any{"detail": r.value("actor")}).object("detail")["actor"].(string)
			mark.Actor = knowledge.Actor(actor)
		}
		if !mark.Actor.Valid() {
			mark.Actor = knowledge.ActorManual // SPEC A20
		}
		return mark
	}, neo4j.AccessModeRead)
}

// OldIDs are the ids that lead to an entity since it took others in.
func (s *Store) OldIDs(ctx context.Context, workspaceID, entityID string) ([]string, error) {
	return read(ctx, s, redirectsTo, map[string]any{"ws": workspaceID, "id": entityID}, func(r row) string { return r.text("id") })
}
