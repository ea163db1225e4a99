package knowledge

import (
	"strings"
	"unicode"
)

// BuiltInEntityType is an entity type that every workspace has from the start.
type BuiltInEntityType struct {
	Key, Description, Color, Icon string
}

// BuiltInEntityTypes are the types of SPEC A3.
func BuiltInEntityTypes() []BuiltInEntityType {
	return []BuiltInEntityType{
		{"person", "an individual", "#3b82f6", "👤"},
		{"organization", "company, team or other organisation", "#8b5cf6", "🏢"},
		{"project", "project or initiative", "#10b981", "📁"},
		{"technology", "language, framework or tool", "#f59e0b", "⚙️"},
		{"concept", "idea, pattern or principle", "#6366f1", "💡"},
		{"file", "file or document of the codebase", "#64748b", "📄"},
		{"service", "running service or daemon", "#ef4444", "🔧"},
		{"api_endpoint", "endpoint or route", "#14b8a6", "🔌"},
		{"database_table", "table or collection", "#f97316", "🗃️"},
		{"environment", "deployment target such as dev/staging/production", "#a855f7", "🌐"},
		{"system", "a system made of services", "#0ea5e9", "🧩"},
		{"tool", "something people or agents use", "#eab308", "🛠️"},
		{"decision", "a choice that was made", "#22c55e", "✅"},
	}
}

// BuiltInEdgeTypes are the edge types of SPEC B1.
func BuiltInEdgeTypes() []string {
	return []string{
		"uses", "depends_on", "part_of", "created_by", "maintained_by", "deployed_to", "connects_to", "extends",
		"implements", "references", "owns", "belongs_to", "related_to", "blocked_by", "replaced_by",
	}
}

// reservedLabels are the labels that the product itself gives to nodes; an entity
// type of such a name gets Type appended (SPEC A5).
var reservedLabels = map[string]bool{
	"Workspace": true, "Entity": true, "EntityType": true, "EdgeType": true, "RegisteredType": true, "Identity": true, "Alias": true,
	"Fact": true, "Observation": true, "Entry": true, "Document": true, "Task": true, "Message": true, "SourceFile": true, "Job": true,
	"JobItem": true, "Merge": true, "Redirect": true, "IdempotencyKey": true, "AuditEvent": true, "Migration": true, "MigrationLock": true, "WriteLock": true, "Lease": true,
	"MaintenanceRun": true, "CodeFile": true, "CodeSymbol": true, "CodePackage": true, "Bridge": true, "ApiKey": true, "Thread": true,
	"Counter": true, "Term": true, "Marker": true, "Event": true, "MailEvent": true, "Extraction": true,
}

// EntityLabel is the label that Neo4j shows for entities of a type: the key's words
// joined, each with a capital ("api_endpoint" becomes ApiEndpoint).
func EntityLabel(typeKey string) string {
	var b strings.Builder
	for _, word := range strings.Split(typeKey, "_") {
		for i, r := range word {
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
		}
	}
	label := b.String()
	if reservedLabels[label] {
		return label + "Type"
	}
	return label
}

// TypeLabel is how a type is shown to people: its key's words, the first with a capital.
func TypeLabel(key string) string {
	words := strings.ReplaceAll(key, "_", " ")
	for i, r := range words {
		return string(unicode.ToUpper(r)) + words[i+len(string(r)):]
	}
	return words
}
