package knowledge

import (
	"maps"
	"slices"
)

// technologyNames are the known technologies in their canonical spelling, each with its
// other spellings (SPEC D5–D7).
func technologyNames() map[string][]string {
	return map[string][]string{
		"TypeScript": nil, "JavaScript": nil, "Node.js": {"NodeJS"}, "Next.js": {"NextJS"}, "Python": nil, "Docker": nil,
		"Kubernetes": {"k8s"}, "PostgreSQL": {"Postgres"}, "MongoDB": nil, "Redis": nil, "GraphQL": nil, "Webpack": nil,
		"FastAPI": nil, "Django": nil, "SQLite": nil,
		"Vue": {"Vue.js", "VueJS"}, "Vite": nil, "Angular": {"AngularJS"}, "Electron": {"Electron.js"}, "Flask": nil,
		"Tailwind": {"TailwindCSS", "Tailwind CSS"}, "REST": {"RESTful"},
		"Go": {"Golang"}, "Rust": {"rustc", "rustup", "Rust-lang"}, "Express": {"Express.js", "ExpressJS"}, "React": {"React.js", "ReactJS", "React Native"},
	}
}

// CanonicalTechnology is how a known technology is spelled; false where the name is none.
func CanonicalTechnology(name string) (string, bool) {
	key := NormalizeName(name)
	names := technologyNames()
	for _, canonical := range slices.Sorted(maps.Keys(names)) {
		if NormalizeName(canonical) == key || slices.ContainsFunc(names[canonical], func(other string) bool { return NormalizeName(other) == key }) {
			return canonical, true
		}
	}
	return "", false
}
