package llm

import (
	"sync"
	"time"
	"unicode/utf8"

	"mneme/knowledge"
)

// charactersPerToken is how a server's missing count is estimated, about right for English.
const charactersPerToken = 4

// meter counts what calls cost, a day at a time.
type meter struct {
	now    func() time.Time
	budget int // tokens a day; 0 is none

	mu   sync.Mutex
	day  string
	used map[knowledge.ModelRole]knowledge.ModelUsage
}

// DayUsage is what a process has spent on language models in a day.
type DayUsage struct {
	Day    string // UTC, as 2006-01-02
	ByRole map[knowledge.ModelRole]knowledge.ModelUsage
}

// Tokens are those of all roles.
func (d DayUsage) Tokens() int {
	n := 0
	for _, u := range d.ByRole {
		n += u.Tokens()
	}
	return n
}

func (m *meter) add(role knowledge.ModelRole, u knowledge.ModelUsage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	m.used[role] = m.used[role].Plus(u)
}

// turn begins a new day where one began. The caller holds mu.
func (m *meter) turn() {
	if day := m.now().UTC().Format(time.DateOnly); day != m.day {
		m.day, m.used = day, map[knowledge.ModelRole]knowledge.ModelUsage{}
	}
}

func (m *meter) today() DayUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	byRole := make(map[knowledge.ModelRole]knowledge.ModelUsage, len(m.used))
	for role, u := range m.used {
		byRole[role] = u
	}
	return DayUsage{Day: m.day, ByRole: byRole}
}

// allow is LIMIT_EXCEEDED where a prompt is more than what is left of the day's budget.
func (m *meter) allow(promptTokens int) error {
	if m.budget == 0 {
		return nil
	}
	if m.today().Tokens()+promptTokens > m.budget {
		return knowledge.Errorf(knowledge.CodeLimitExceeded, "the language model's budget of %d tokens a day is used up", m.budget)
	}
	return nil
}

// tokensOf estimates a text's tokens.
func tokensOf(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return (n + charactersPerToken - 1) / charactersPerToken
}
