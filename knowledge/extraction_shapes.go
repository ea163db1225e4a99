package knowledge

// Shapes of the replies that the product asks language models for. The schemas are
// strict: every member is required, nothing else is allowed.
const entriesSchema = `{"type":"object","additionalProperties":false,"required":["entries"],"properties":{"entries":{"type":"array","items":{` +
	`"type":"object","additionalProperties":false,"required":["type","title","content","confidence","tags"],"properties":{` +
	`"type":{"type":"string","enum":["fact","decision","event","preference","goal","relationship","action_item"]},` +
	`"title":{"type":"string","description":"a few words"},` +
	`"content":{"type":"string","description":"one or two complete sentences that can be understood without the text"},` +
	`"confidence":{"type":"number","minimum":0,"maximum":1},` +
	`"tags":{"type":"array","items":{"type":"string"}}}}}}}`

const relationsSchema = `{"type":"object","additionalProperties":false,"required":["relations"],"properties":{"relations":{"type":"array","items":{` +
	`"type":"object","additionalProperties":false,"required":["from","to","type","confidence","rationale"],"properties":{` +
	`"from":{"type":"integer","minimum":0},"to":{"type":"integer","minimum":0},` +
	`"type":{"type":"string","enum":["supports","contradicts","supersedes","relates_to","causes","blocks"]},` +
	`"confidence":{"type":"number","minimum":0,"maximum":1},` +
	`"rationale":{"type":"string","description":"at most 200 characters"}}}}}}`

const graphSchema = `{"type":"object","additionalProperties":false,"required":["entities","edges"],"properties":{"entities":{"type":"array","items":{` +
	`"type":"object","additionalProperties":false,"required":["name","type","description"],"properties":{` +
	`"name":{"type":"string","description":"at most 50 characters"},` +
	`"type":{"type":"string","enum":["concept","system","tool","decision","person"]},` +
	`"description":{"type":"string"}}}},` +
	`"edges":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["from","to","label"],"properties":{` +
	`"from":{"type":"string"},"to":{"type":"string"},` +
	`"label":{"type":"string","enum":["depends_on","contradicts","related_to","replaces","implements","uses"]}}}}}}`

// EntriesShape is what extraction of knowledge answers (SPEC M4).
func EntriesShape() *ReplyShape {
	return &ReplyShape{Name: "knowledge", Schema: entriesSchema, Lists: []ListShape{{
		Key: "entries", Aliases: []string{"knowledge", "items", "results", "extractions", "extracted", "facts", "knowledge_entries", "output"},
		Fields: []FieldShape{
			{Key: "type", Aliases: []string{"kind", "entry_type", "category", "knowledge_type"}},
			{Key: "title", Aliases: []string{"name", "heading", "headline", "subject", "label"}},
			{Key: "content", Aliases: []string{"text", "description", "body", "statement", "detail", "details", "summary", "value", "fact"}},
			{Key: "confidence", Aliases: []string{"confidence_score", "score", "certainty", "probability"}},
			{Key: "tags", Aliases: []string{"labels", "keywords", "topics"}},
		},
	}}}
}

// RelationsShape is what linking answers (SPEC M13).
func RelationsShape() *ReplyShape {
	return &ReplyShape{Name: "relations", Schema: relationsSchema, Lists: []ListShape{{
		Key: "relations", Aliases: []string{"links", "edges", "relationships", "connections", "items", "results"},
		Fields: []FieldShape{
			{Key: "from", Aliases: []string{"source", "from_index", "from_id", "a", "subject"}},
			{Key: "to", Aliases: []string{"target", "to_index", "to_id", "b", "object"}},
			{Key: "type", Aliases: []string{"relation", "relation_type", "label", "kind", "predicate"}},
			{Key: "confidence", Aliases: []string{"score", "certainty", "probability"}},
			{Key: "rationale", Aliases: []string{"reason", "why", "explanation", "justification"}},
		},
	}}}
}

// GraphShape is what extraction of entities and edges answers (SPEC O8).
func GraphShape() *ReplyShape {
	return &ReplyShape{Name: "graph", Schema: graphSchema, Lists: []ListShape{
		{
			Key: "entities", Aliases: []string{"nodes", "concepts", "items"},
			Fields: []FieldShape{
				{Key: "name", Aliases: []string{"title", "label", "entity", "id"}},
				{Key: "type", Aliases: []string{"kind", "category", "entity_type"}},
				{Key: "description", Aliases: []string{"summary", "definition", "content"}},
			},
		},
		{
			Key: "edges", Aliases: []string{"relations", "relationships", "links", "triples", "connections"}, Optional: true,
			Fields: []FieldShape{
				{Key: "from", Aliases: []string{"source", "subject", "start", "head"}},
				{Key: "to", Aliases: []string{"target", "object", "end", "tail"}},
				{Key: "label", Aliases: []string{"type", "relation", "verb", "predicate", "edge_type"}},
			},
		},
	}}
}
