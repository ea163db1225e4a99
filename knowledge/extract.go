package knowledge

import (
	"regexp"
	"slices"
	"strings"
)

// Caps of what one text gives (SPEC D2).
const (
	MaxExtractedTechnologies = 5
	MaxExtractedFiles        = 5
	MaxExtractedEndpoints    = 3
)

// Keys of the entity types that patterns are stored under.
const (
	TypePerson       = "person"
	TypeOrganization = "organization"
	TypeProject      = "project"
	TypeTechnology   = "technology"
	TypeFile         = "file"
	TypeEndpoint     = "api_endpoint"
)

// Endpoint is a route that a text names.
type Endpoint struct {
	Method string
	Path   string
}

// Name is the endpoint as an entity is called: "GET /users" (SPEC D23).
func (e Endpoint) Name() string { return e.Method + " " + e.Path }

// filePath is a path below one of the usual source folders, at the start of the text or
// after white space (SPEC D21).
var filePath = regexp.MustCompile(`(?:^|[\s\p{Z}])((?:src|lib|app|components|pages|api|utils|hooks)/[\w/.-]+\.\w+)`)

// FindFiles are the distinct file paths of a text, in its order (SPEC D21).
func FindFiles(text string) []string {
	var found []string
	for _, m := range filePath.FindAllStringSubmatchIndex(text, -1) {
		path := text[m[2]:m[3]]
		// What goes on as a folder did not end in an extension: app/v1.2/[id]/page.tsx.
		if goesOn := m[3] < len(text) && strings.ContainsRune("/[", rune(text[m[3]])); !goesOn && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// endpoint is a method in capitals and a path (SPEC D22).
var endpoint = regexp.MustCompile(`\b(GET|POST|PUT|DELETE|PATCH)\s+(/[\w/:.-]+)`)

// FindEndpoints are the distinct endpoints of a text, in its order (SPEC D22, D24).
func FindEndpoints(text string) []Endpoint {
	var found []Endpoint
	for _, m := range endpoint.FindAllStringSubmatch(text, -1) {
		e := Endpoint{Method: m[1], Path: strings.TrimRight(m[2], ".:-")}
		if e.Path != "/" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// ExtractPatterns are the entities that patterns find in a text, within the caps: first
// technologies, then files, then endpoints (SPEC D2, D3). The writer is auto.
func ExtractPatterns(text, taskID string) []EntityDraft {
	var drafts []EntityDraft
	add := func(typ, kind, name string, properties map[string]any) {
		description, confidence := kind+" "+name, StartConfidenceAuto
		drafts = append(drafts, EntityDraft{
			Type: typ, Name: name, Description: &description, Properties: properties, Confidence: &confidence, Source: ActorAuto, TaskID: taskID,
		})
	}
	for _, name := range firstOf(FindTechnologies(text), MaxExtractedTechnologies) {
		add(TypeTechnology, "Technology", name, nil)
	}
	for _, path := range firstOf(FindFiles(text), MaxExtractedFiles) {
		add(TypeFile, "File", path, nil)
	}
	for _, e := range firstOf(FindEndpoints(text), MaxExtractedEndpoints) {
		add(TypeEndpoint, "API endpoint", e.Name(), map[string]any{"method": e.Method, "path": e.Path})
	}
	return drafts
}

func firstOf[T any](all []T, n int) []T { return all[:min(n, len(all))] }
