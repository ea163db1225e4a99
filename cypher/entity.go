package cypher

import (
	"context"
	_ "embed"
	"strings"

	"mneme/knowledge"
)

//go:embed queries/entity_candidates.cypher
var entityCandidates statement

//go:embed queries/entity_lock.cypher
var entityLock statement

//go:embed queries/entity_create.cypher
var entityCreate statement

//go:embed queries/entity_update.cypher
var entityUpdate statement

//go:embed queries/entity_identify.cypher
var entityIdentify statement

//go:embed queries/entity_alias.cypher
var entityAlias statement

//go:embed queries/entity_unalias.cypher
var entityUnalias statement

//go:embed queries/entity_delete.cypher
var entityDelete statement

//go:embed queries/entity_by_ids.cypher
var entityByIDs statement

//go:embed queries/entity_find.cypher
var entityFind statement

// EntityCandidates finds, for each draft, the entities that it could mean: by identity, name
// or alias. They are locked until the transaction ends, and read after they were locked.
func (s *Store) EntityCandidates(ctx context.Context, workspaceID string, drafts []knowledge.EntityDraft) ([]*knowledge.Entity, error) {
	rows := make([]any, 0, len(drafts))
	for _, d := range drafts {
		rows = append(rows, map[string]any{"type": d.Type, "key": knowledge.NormalizeName(d.Name), "identities": identityRows(d.Identities)})
	}
	return write(ctx, s, entityCandidates, map[string]any{"ws": workspaceID, "rows": rows}, scanEntity)
}

// LockEntities locks entities of a workspace until the transaction ends and reads them:
// those that exist, in the order of their ids.
func (s *Store) LockEntities(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entity, error) {
	return write(ctx, s, entityLock, map[string]any{"ws": workspaceID, "ids": ids}, scanEntity)
}

// WriteEntities stores new and changed entities with their names, identities and search texts.
func (s *Store) WriteEntities(ctx context.Context, workspaceID string, writes []knowledge.EntityWrite) error {
	var create, update, identify, alias, unalias []any
	for _, w := range writes {
		before := w.Before
		if before == nil {
			before = &knowledge.Entity{}
			create = append(create, map[string]any{"label": knowledge.EntityLabel(w.After.TypeKey), "props": entityProps(w.After)})
		} else {
			update = append(update, map[string]any{
				"id": w.After.ID, "props": entityProps(w.After),
				"old": knowledge.EntityLabel(before.TypeKey), "new": knowledge.EntityLabel(w.After.TypeKey), "relabel": before.TypeKey != w.After.TypeKey,
			})
		}
		identify = append(identify, added(w.After.ID, identityRows(w.After.Identities), identityRows(before.Identities))...)
		alias = append(alias, added(w.After.ID, aliasRows(w.After.Aliases), aliasRows(before.Aliases))...)
		unalias = append(unalias, added(w.After.ID, aliasRows(before.Aliases), aliasRows(w.After.Aliases))...)
	}
	for _, step := range []struct {
		st   statement
		rows []any
	}{{entityCreate, create}, {entityUpdate, update}, {entityUnalias, unalias}, {entityIdentify, identify}, {entityAlias, alias}} {
		if len(step.rows) == 0 {
			continue
		}
		if err := exec(ctx, s, step.st, map[string]any{"ws": workspaceID, "rows": step.rows}); err != nil {
			return err
		}
	}
	return nil
}

// added are the rows of after that before does not have, each with the entity's id.
func added(id string, after, before []map[string]any) []any {
	had := make(map[string]bool, len(before))
	for _, row := range before {
		had[row["key"].(string)] = true
	}
	var out []any
	for _, row := range after {
		if !had[row["key"].(string)] {
			row["id"] = id
			out = append(out, row)
		}
	}
	return out
}

func identityRows(identities []knowledge.ContactIdentity) []map[string]any {
	rows := make([]map[string]any, 0, len(identities))
	for _, i := range identities {
		rows = append(rows, map[string]any{"key": i.Kind + ":" + i.Value, "kind": i.Kind, "value": i.Value})
	}
	return rows
}

func aliasRows(aliases []string) []map[string]any {
	rows := make([]map[string]any, 0, len(aliases))
	for _, alias := range aliases {
		rows = append(rows, map[string]any{"key": knowledge.NormalizeName(alias), "name": alias})
	}
	return rows
}

// DeleteEntity removes an entity with its edges (of all times, both directions), its
// observations, names and identities; false where there is none (SPEC A28).
func (s *Store) DeleteEntity(ctx context.Context, workspaceID, id string) (knowledge.DeleteCounts, error) {
	rows, err := write(ctx, s, entityDelete, map[string]any{"ws": workspaceID, "id": id}, func(r row) knowledge.DeleteCounts {
		return knowledge.DeleteCounts{Deleted: true, Entities: 1, Edges: r.int("edges"), Observations: r.int("observations")}
	})
	if err != nil || len(rows) == 0 {
		return knowledge.DeleteCounts{}, err
	}
	return rows[0], nil
}

// EntitiesByID are the entities of ids that exist in a workspace; an id that was merged
// away gives the entity that it was merged into, under the id that was asked for.
func (s *Store) EntitiesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error) {
	type found struct {
		asked  string
		entity *knowledge.Entity
	}
	rows, err := read(ctx, s, entityByIDs, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) found { return found{r.text("asked"), scanEntity(r)} })
	out := make(map[string]*knowledge.Entity, len(rows))
	for _, f := range rows {
		out[f.asked] = f.entity
	}
	return out, err
}

// EntitiesByRef are, for each reference, the entities that answer to it: by id or identity
// at most one; by name those that have it as name or alias, else those that have it as slug.
func (s *Store) EntitiesByRef(ctx context.Context, workspaceID string, refs []knowledge.EntityRef) ([][]*knowledge.Entity, error) {
	rows := make([]any, 0, len(refs))
	for i, ref := range refs {
		one := map[string]any{"i": i, "id": ref.ID, "key": knowledge.NormalizeName(ref.Name), "slug": knowledge.Slug(ref.Name), "type": ref.Type, "kind": "", "value": ""}
		if ref.Identity != nil {
			one["kind"], one["value"] = ref.Identity.Kind, ref.Identity.Value
		}
		rows = append(rows, one)
	}
	type found struct {
		i, tier int
		entity  *knowledge.Entity
	}
	all, err := read(ctx, s, entityFind, map[string]any{"ws": workspaceID, "rows": rows}, func(r row) found {
		return found{r.int("i"), r.int("tier"), scanEntity(r)}
	})
	out, tiers := make([][]*knowledge.Entity, len(refs)), make([]int, len(refs))
	for _, f := range all { // the better tier comes first
		if len(out[f.i]) > 0 && f.tier > tiers[f.i] {
			continue
		}
		tiers[f.i] = f.tier
		out[f.i] = append(out[f.i], f.entity)
	}
	return out, err
}

func entityProps(e *knowledge.Entity) map[string]any {
	description := ""
	if e.Description != nil {
		description = *e.Description
	}
	return map[string]any{
		"id": e.ID, "workspaceId": e.WorkspaceID, "type": e.TypeKey, "name": e.Name, "normalizedName": e.NormalizedName,
		"discriminator": e.Discriminator, "slug": e.Slug, "aliases": e.Aliases, "description": ptrValue(e.Description),
		"descriptionSource": actorValue(e.DescriptionSource), "properties": jsonText(e.Properties), "confidence": e.Confidence,
		"source": string(e.Source), "taskId": ptrValue(e.TaskID), "createdAt": e.CreatedAt, "updatedAt": e.UpdatedAt, "lastSeenAt": e.LastSeenAt,
		"searchName": knowledge.Analyze(strings.Join(append([]string{e.Name}, e.Aliases...), "\n")), "searchText": knowledge.Analyze(description),
	}
}

func actorValue(a *knowledge.Actor) any {
	if a == nil {
		return nil
	}
	return string(*a)
}

func scanEntity(r row) *knowledge.Entity { return entityOf(r.props("e"), r.list("identities")) }

// entityOf maps the node of an entity and its identities.
func entityOf(p props, identities []props) *knowledge.Entity {
	if p == nil {
		return nil
	}
	e := &knowledge.Entity{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), TypeKey: p.text("type"), Name: p.text("name"), NormalizedName: p.text("normalizedName"),
		Discriminator: p.text("discriminator"), Slug: p.text("slug"), Aliases: p.texts("aliases"), Description: p.textPtr("description"),
		Properties: p.object("properties"), Confidence: p.float("confidence"), Source: knowledge.Actor(p.text("source")), TaskID: p.textPtr("taskId"),
		CreatedAt: p.time("createdAt"), UpdatedAt: p.time("updatedAt"), LastSeenAt: p.time("lastSeenAt"), Identities: []knowledge.ContactIdentity{},
	}
	if source := p.text("descriptionSource"); source != "" {
		actor := knowledge.Actor(source)
		e.DescriptionSource = &actor
	}
	for _, i := range identities {
		e.Identities = append(e.Identities, knowledge.ContactIdentity{Kind: i.text("kind"), Value: i.text("value")})
	}
	return e
}
