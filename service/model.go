package service

import (
	"context"

	"mneme/knowledge"
)

// LanguageModel answers questions. What an answer cost is in the reply, also beside an
// error. Errors are knowledge.Errors with a code, or a *knowledge.BadReplyError where the
// model did answer but with nothing that could be used.
type LanguageModel interface {
	// Structured asks for JSON of the call's shape. A reply that check rejects is asked
	// for once more, with the reason.
	Structured(ctx context.Context, call knowledge.ModelCall, check func(knowledge.ReplyLists) error) (knowledge.ModelReply, error)
	// Text asks for plain text, which is never empty.
	Text(ctx context.Context, call knowledge.ModelCall) (knowledge.ModelReply, error)
	// Stream is Text that hands the answer to emit as it is written.
	Stream(ctx context.Context, call knowledge.ModelCall, emit func(delta string) error) (knowledge.ModelReply, error)
	// Model names the model of a role.
	Model(role knowledge.ModelRole) string
}

// needFeature is FEATURE_DISABLED where a feature is off, with the reason.
func needFeature(features []knowledge.Feature, name knowledge.FeatureName) error {
	for _, f := range features {
		if f.Name != name || f.Enabled {
			continue
		}
		reason := ""
		if f.Reason != nil {
			reason = ": " + *f.Reason
		}
		return knowledge.Errorf(knowledge.CodeFeatureDisabled, "the feature %s is off%s", name, reason)
	}
	return nil
}

// modelFailure is the error that a caller sees of a model's.
func modelFailure(err error) error {
	if knowledge.CodeOf(err) != knowledge.CodeInternal {
		return err
	}
	bad, isReply := badReply(err)
	if !isReply {
		return err
	}
	return knowledge.Errorf(knowledge.CodeUnavailable, "the language model's reply could not be used: %s", bad.Reason).Because(err)
}
