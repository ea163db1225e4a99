package resolvers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"mneme/graph"
	"mneme/knowledge"
	"mneme/service"
)

// answerTypes are the Go types that mutations answer, by field, so that a kept answer
// can be read back as what the resolver gave.
type answerTypes map[string]reflect.Type

// newAnswerTypes reads them off the generated interface, so that none can be missing.
func newAnswerTypes() answerTypes {
	types := answerTypes{}
	for m := range reflect.TypeFor[graph.MutationResolver]().Methods() {
		types[strings.ToLower(m.Name)] = m.Type.Out(0)
	}
	return types
}

// of is the type that a mutation answers, nil where there is no such mutation.
func (t answerTypes) of(mutation string) reflect.Type { return t[strings.ToLower(mutation)] }

// idempotent lets a mutation with an idempotencyKey answer what it answered before (SPEC T8).
type idempotent struct {
	keys    *service.Idempotency
	answers answerTypes
}

// aroundField wraps the fields of Mutation and leaves all others alone.
func (i idempotent) aroundField(ctx context.Context, next graphql.Resolver) (any, error) {
	fc := graphql.GetFieldContext(ctx)
	if fc.Object != "Mutation" {
		return next(ctx)
	}
	key, ok := fc.Args["idempotencyKey"].(*string)
	if !ok || key == nil {
		return next(ctx)
	}
	workspace, _ := fc.Args["workspace"].(string)
	scope := knowledge.IdempotencyScope{Workspace: workspace, Caller: callerOf(ctx).Name, Key: *key}
	fingerprint, err := callFingerprint(ctx)
	if err != nil {
		return nil, err
	}
	var first any
	answer, err := i.keys.Once(ctx, scope, fingerprint, func(ctx context.Context) (json.RawMessage, error) {
		var err error
		if first, err = next(ctx); err != nil {
			return nil, err
		}
		return json.Marshal(first)
	})
	if err != nil || first != nil {
		return first, err
	}
	return i.replay(fc.Field.Name, answer)
}

// replay reads a kept answer.
func (i idempotent) replay(mutation string, answer json.RawMessage) (any, error) {
	t := i.answers.of(mutation)
	if t == nil {
		return nil, fmt.Errorf("no answer type of %s", mutation)
	}
	v := reflect.New(t)
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(v.Interface()); err != nil {
		return nil, fmt.Errorf("kept answer of %s: %w", mutation, err)
	}
	return v.Elem().Interface(), nil
}

// callFingerprint is a hash of a call: its field and its arguments but the key.
func callFingerprint(ctx context.Context) (string, error) {
	fc := graphql.GetFieldContext(ctx)
	args := fc.Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)
	delete(args, "idempotencyKey")
	b, err := json.Marshal([]any{fc.Field.Name, args})
	if err != nil {
		return "", fmt.Errorf("fingerprint of %s: %w", fc.Field.Name, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
