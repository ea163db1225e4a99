package ingest

import (
	"encoding/json"

	"mneme/knowledge"
)

// defaultConfidence is an entry's where none is given (SPEC K5).
const defaultConfidence = 0.8

// entityRef is an EntityRef of the API.
type entityRef struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Type     string    `json:"type"`
	Identity *identity `json:"identity"`
}

// entryRef is an EntryRef of the API.
type entryRef struct {
	ID       string `json:"id"`
	SourceID string `json:"sourceId"`
}

type identity struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func (r entityRef) ref() knowledge.EntityRef {
	out := knowledge.EntityRef{ID: r.ID, Name: r.Name, Type: r.Type}
	if r.Identity != nil {
		out.Identity = &knowledge.ContactIdentity{Kind: r.Identity.Kind, Value: r.Identity.Value}
	}
	return out
}

func refs(given []entityRef) []knowledge.EntityRef {
	var out []knowledge.EntityRef
	for _, r := range given {
		out = append(out, r.ref())
	}
	return out
}

// DecodeEntry reads a createEntry input. INVALID_INPUT names the field that is wrong;
// what a draft may say beyond its form is for the service to check.
func DecodeEntry(line []byte) (knowledge.EntryDraft, error) {
	var in struct {
		Type          string          `json:"type"`
		Title         string          `json:"title"`
		Content       string          `json:"content"`
		Source        string          `json:"source"`
		SourceID      string          `json:"sourceId"`
		ThreadID      string          `json:"threadId"`
		DocID         string          `json:"docId"`
		TaskID        string          `json:"taskId"`
		Confidence    *float64        `json:"confidence"`
		ExpiresInDays *float64        `json:"expiresInDays"`
		Tags          []string        `json:"tags"`
		Contacts      []entityRef     `json:"contacts"`
		Mentions      []entityRef     `json:"mentions"`
		ExpiresAt     json.RawMessage `json:"expiresAt"`
		ValidFrom     json.RawMessage `json:"validFrom"`
		ValidTo       json.RawMessage `json:"validTo"`
		Embedding     *[]float32      `json:"embedding"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.EntryDraft{}, err
	}
	out := knowledge.EntryDraft{
		Title: in.Title, Content: in.Content, SourceID: in.SourceID, ThreadID: in.ThreadID, DocID: in.DocID, TaskID: in.TaskID,
		Confidence: defaultConfidence, ExpiresInDays: in.ExpiresInDays, Tags: in.Tags,
		Contacts: refs(in.Contacts), Mentions: refs(in.Mentions), Embedding: in.Embedding,
	}
	if in.Confidence != nil {
		out.Confidence = *in.Confidence
	}
	var err error
	if out.Type, err = oneOf("type", in.Type, knowledge.EntryFact, knowledge.EntryFact, knowledge.EntryDecision, knowledge.EntryEvent,
		knowledge.EntryPreference, knowledge.EntryGoal, knowledge.EntryRelationship, knowledge.EntryActionItem); err != nil {
		return knowledge.EntryDraft{}, err
	}
	if out.Source, err = oneOf("source", in.Source, knowledge.SourceManual, knowledge.SourceEmail, knowledge.SourceChat, knowledge.SourceManual,
		knowledge.SourceFileText, knowledge.SourceAgentExtracted); err != nil {
		return knowledge.EntryDraft{}, err
	}
	if out.ExpiresAt, err = dated("expiresAt", in.ExpiresAt); err != nil {
		return knowledge.EntryDraft{}, err
	}
	if out.ValidFrom, err = dated("validFrom", in.ValidFrom); err != nil {
		return knowledge.EntryDraft{}, err
	}
	out.ValidTo, err = dated("validTo", in.ValidTo)
	return out, err
}

// DecodeMessage reads an extractFromMessage input.
func DecodeMessage(line []byte) (knowledge.MessageExtraction, error) {
	var in struct {
		MessageID string          `json:"messageId"`
		ThreadID  string          `json:"threadId"`
		Subject   string          `json:"subject"`
		Body      string          `json:"body"`
		HTML      string          `json:"html"`
		From      string          `json:"from"`
		SentAt    json.RawMessage `json:"sentAt"`
		Contacts  []entityRef     `json:"contacts"`
		Source    string          `json:"source"`
		Force     bool            `json:"force"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.MessageExtraction{}, err
	}
	source, err := oneOf("source", in.Source, knowledge.SourceAgentExtracted, knowledge.SourceEmail, knowledge.SourceChat, knowledge.SourceManual,
		knowledge.SourceFileText, knowledge.SourceAgentExtracted)
	if err != nil {
		return knowledge.MessageExtraction{}, err
	}
	out := knowledge.MessageExtraction{
		MessageID: in.MessageID, ThreadID: in.ThreadID, Subject: in.Subject, Body: in.Body, HTML: in.HTML, From: in.From, Contacts: refs(in.Contacts), Source: source, Force: in.Force,
	}
	out.SentAt, err = dated("sentAt", in.SentAt)
	return out, err
}

// DecodeEntity reads an upsertEntity input.
func DecodeEntity(line []byte) (knowledge.EntityDraft, error) {
	var in struct {
		Type        string         `json:"type"`
		Name        string         `json:"name"`
		Source      string         `json:"source"`
		DocID       string         `json:"docId"`
		TaskID      string         `json:"taskId"`
		Description *string        `json:"description"`
		Aliases     []string       `json:"aliases"`
		Identities  []identity     `json:"identities"`
		Properties  map[string]any `json:"properties"`
		Confidence  *float64       `json:"confidence"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.EntityDraft{}, err
	}
	writer, err := actor(in.Source)
	out := knowledge.EntityDraft{
		Type: in.Type, Name: in.Name, Aliases: in.Aliases, Description: in.Description, Properties: in.Properties,
		Confidence: in.Confidence, Source: writer, DocID: in.DocID, TaskID: in.TaskID,
	}
	for _, id := range in.Identities {
		out.Identities = append(out.Identities, knowledge.ContactIdentity{Kind: id.Kind, Value: id.Value})
	}
	return out, err
}

// DecodeEdge reads a createEdge input.
func DecodeEdge(line []byte) (knowledge.EdgeDraft, error) {
	var in struct {
		From       entityRef       `json:"from"`
		To         entityRef       `json:"to"`
		Type       string          `json:"type"`
		Fact       string          `json:"fact"`
		Source     string          `json:"source"`
		DocID      string          `json:"docId"`
		TaskID     string          `json:"taskId"`
		Properties map[string]any  `json:"properties"`
		Confidence *float64        `json:"confidence"`
		ValidFrom  json.RawMessage `json:"validFrom"`
		ValidTo    json.RawMessage `json:"validTo"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.EdgeDraft{}, err
	}
	writer, err := actor(in.Source)
	if err != nil {
		return knowledge.EdgeDraft{}, err
	}
	out := knowledge.EdgeDraft{
		From: in.From.ref(), To: in.To.ref(), Type: in.Type, Fact: in.Fact, Properties: in.Properties,
		Confidence: in.Confidence, DocID: in.DocID, TaskID: in.TaskID, Source: writer,
	}
	if out.ValidFrom, err = dated("validFrom", in.ValidFrom); err != nil {
		return knowledge.EdgeDraft{}, err
	}
	out.ValidTo, err = dated("validTo", in.ValidTo)
	return out, err
}

// DecodeObservation reads an addObservation input.
func DecodeObservation(line []byte) (knowledge.ObservationDraft, error) {
	var in struct {
		Entity      entityRef       `json:"entity"`
		Text        string          `json:"text"`
		Fingerprint string          `json:"fingerprint"`
		Source      string          `json:"source"`
		DocID       string          `json:"docId"`
		TaskID      string          `json:"taskId"`
		ObservedAt  json.RawMessage `json:"observedAt"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.ObservationDraft{}, err
	}
	writer, err := actor(in.Source)
	if err != nil {
		return knowledge.ObservationDraft{}, err
	}
	out := knowledge.ObservationDraft{
		Entity: in.Entity.ref(), Text: in.Text, Fingerprint: in.Fingerprint, Source: writer, DocID: in.DocID, TaskID: in.TaskID,
	}
	out.ObservedAt, err = dated("observedAt", in.ObservedAt)
	return out, err
}

// DecodeRelation reads a createRelation input.
func DecodeRelation(line []byte) (knowledge.RelationDraft, error) {
	var in struct {
		From       entryRef `json:"from"`
		To         entryRef `json:"to"`
		Type       string   `json:"type"`
		Rationale  string   `json:"rationale"`
		Confidence *float64 `json:"confidence"`
		Weight     *float64 `json:"weight"`
	}
	if err := decodeObject(line, &in); err != nil {
		return knowledge.RelationDraft{}, err
	}
	out := knowledge.RelationDraft{
		From: knowledge.EntryRef(in.From), To: knowledge.EntryRef(in.To), Confidence: 1, Weight: in.Weight, Rationale: in.Rationale,
	}
	if in.Confidence != nil {
		out.Confidence = *in.Confidence
	}
	if in.Type == "" {
		return knowledge.RelationDraft{}, knowledge.Invalid("type", "a relation has a type")
	}
	var err error
	out.Type, err = oneOf("type", in.Type, "", knowledge.RelationSupports, knowledge.RelationContradicts, knowledge.RelationSupersedes,
		knowledge.RelationRelatesTo, knowledge.RelationCauses, knowledge.RelationBlocks)
	return out, err
}

// GraphItem is one line of a graph: an entity or an edge.
type GraphItem struct {
	Entity *knowledge.EntityDraft
	Edge   *knowledge.EdgeDraft
}

// DecodeGraph reads an upsertEntity input or, where it has ends, a createEdge input.
func DecodeGraph(line []byte) (GraphItem, error) {
	var ends struct {
		From json.RawMessage `json:"from"`
		To   json.RawMessage `json:"to"`
	}
	if err := json.Unmarshal(line, &ends); err != nil {
		return GraphItem{}, jsonError(err)
	}
	if ends.From != nil || ends.To != nil {
		edge, err := DecodeEdge(line)
		return GraphItem{Edge: &edge}, err
	}
	entity, err := DecodeEntity(line)
	return GraphItem{Entity: &entity}, err
}

// DecodeEdgeType reads a createEdgeType input.
func DecodeEdgeType(line []byte) (knowledge.EdgeType, error) {
	var in struct {
		Key          string  `json:"key"`
		SingleValued bool    `json:"singleValued"`
		Symmetric    bool    `json:"symmetric"`
		InverseLabel *string `json:"inverseLabel"`
	}
	err := decodeObject(line, &in)
	return knowledge.EdgeType{Key: in.Key, SingleValued: in.SingleValued, Symmetric: in.Symmetric, InverseLabel: in.InverseLabel}, err
}
