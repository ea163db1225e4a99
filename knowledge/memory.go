package knowledge

import (
	"regexp"
	"slices"
)

// WriteKind is a way of writing, as the memory settings tell them apart (SPEC F).
type WriteKind string

// Ways of writing, a row each of the table in SPEC F.
const (
	// WriteAutomatic is extraction from tasks and mailboxes, and a write that claims source auto.
	WriteAutomatic WriteKind = "automatic"
	// WriteImport is the reading of messages and files: imports and backfills that a person starts.
	WriteImport WriteKind = "import"
	// WriteAgent is an explicit write of an agent.
	WriteAgent WriteKind = "agent"
	// WriteManual is a person's write.
	WriteManual WriteKind = "manual"
	// WriteRemoval is a deletion, or the end of an edge: never blocked.
	WriteRemoval WriteKind = "removal"
)

// Decision is what becomes of a write.
type Decision string

// Decisions: a skip is silent and counted, a refusal is an error.
const (
	Allow  Decision = "allow"
	Skip   Decision = "skip"
	Refuse Decision = "refuse"
)

// MemoryVerdict is a decision with the code that names its reason; the code is empty where
// the write is allowed.
type MemoryVerdict struct {
	Decision Decision
	Code     Code
}

// JudgeMemory decides on a write by a workspace's settings (nil: they could not be read)
// and by whether its texts, or its task's prompt, carry the opt-out marker (SPEC F1, F2, F7).
func JudgeMemory(kind WriteKind, settings *MemorySettings, marked bool) MemoryVerdict {
	switch kind {
	case WriteRemoval:
		return MemoryVerdict{Decision: Allow}
	case WriteAutomatic, WriteImport:
		if settings == nil || !settings.Enabled || settings.PrivacyMode == PrivacyDisabled || kind == WriteAutomatic && !settings.AutoCapture {
			return MemoryVerdict{Skip, CodeMemoryDisabled}
		}
		if marked {
			return MemoryVerdict{Skip, CodeNoMemory}
		}
		return MemoryVerdict{Decision: Allow}
	default:
		if marked {
			return MemoryVerdict{Refuse, CodeNoMemory}
		}
		return MemoryVerdict{Decision: Allow}
	}
}

// WriteKindOf is the way of writing of an explicit write that counts as a writer's.
func WriteKindOf(writer Actor) WriteKind {
	switch writer {
	case ActorAuto:
		return WriteAutomatic
	case ActorAgent:
		return WriteAgent
	default:
		return WriteManual
	}
}

// Err is the verdict as the error of an explicit write; nil where it is allowed (SPEC F6).
func (v MemoryVerdict) Err() error {
	switch {
	case v.Decision == Allow || v.Decision == "":
		return nil
	case v.Code == CodeMemoryDisabled:
		return Errorf(CodeMemoryDisabled, "this workspace's memory settings do not let automatic writers write; nothing was saved")
	default:
		return Errorf(CodeNoMemory, "memory writes are off for this task because of its <no-memory> marker; nothing was saved")
	}
}

// KeepsText tells whether the text of messages and files may be stored (SPEC F2).
func (m MemorySettings) KeepsText() bool { return m.PrivacyMode != PrivacyStrict }

// noMemory is the opt-out marker (SPEC F3).
var noMemory = regexp.MustCompile(`(?i)<[\s\p{Z}]*no-memory[\s\p{Z}]*/?[\s\p{Z}]*>`)

// HasNoMemory tells whether any of the texts carries the opt-out marker (SPEC F3).
func HasNoMemory(texts ...string) bool {
	return slices.ContainsFunc(texts, noMemory.MatchString)
}

// PropertiesHaveNoMemory tells whether a text anywhere in an object, keys included, carries
// the opt-out marker.
func PropertiesHaveNoMemory(value any) bool {
	switch v := value.(type) {
	case string:
		return HasNoMemory(v)
	case map[string]any:
		for key, one := range v {
			if HasNoMemory(key) || PropertiesHaveNoMemory(one) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, PropertiesHaveNoMemory)
	}
	return false
}
