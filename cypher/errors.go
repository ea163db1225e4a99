package cypher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

// Codes of the server that mean something to us (neo4j.com/docs/status-codes).
const (
	codeConstraint       = "Neo.ClientError.Schema.ConstraintValidationFailed"
	codeEntityNotFound   = "Neo.ClientError.Statement.EntityNotFound"
	codeRuleExists       = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"
	codeIndexExists      = "Neo.ClientError.Schema.IndexAlreadyExists"
	codeConstraintFailed = "Neo.DatabaseError.Schema.ConstraintCreationFailed"
	codeUnauthorized     = "Neo.ClientError.Security.Unauthorized"
	codeForbidden        = "Neo.ClientError.Security.Forbidden"
	codeRateLimit        = "Neo.ClientError.Security.AuthenticationRateLimit"
	codeTimedOut         = "Neo.ClientError.Transaction.TransactionTimedOut"
	codeTimedOutClient   = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
	codeLockTimeout      = "Neo.TransientError.Transaction.LockAcquisitionTimeout"
	codeDeadlock         = "Neo.TransientError.Transaction.DeadlockDetected"
	codeProcedureFailed  = "Neo.ClientError.Procedure.ProcedureCallFailed"
	codeNoDatabase       = "Neo.ClientError.Database.DatabaseNotFound"
)

// translate turns a driver's error into one of ours, by its code. The message never
// holds the query or its parameters; the cause is kept for the log. An error of ours
// and a caller's own cancellation pass as they are.
func (s *Store) translate(op string, err error) error {
	if err == nil {
		return nil
	}
	var ours *knowledge.Error
	if errors.As(err, &ours) {
		return err
	}
	// A connectivity error does not unwrap to what ended it: the caller's own context, perhaps.
	var lost *neo4j.ConnectivityError
	if errors.As(err, &lost) && (errors.Is(lost.Inner, context.Canceled) || errors.Is(lost.Inner, context.DeadlineExceeded)) {
		err = lost.Inner
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", op, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return knowledge.Errorf(knowledge.CodeTimeout, "the database took too long to answer").Because(fmt.Errorf("%s: %w", op, err))
	}
	if s.closed.Load() { // the driver says so in several ways
		return knowledge.Errorf(knowledge.CodeUnavailable, "the server is shutting down").Because(fmt.Errorf("%s: %w", op, err))
	}
	return byCode(err).Because(fmt.Errorf("%s: %w", op, err))
}

func byCode(err error) *knowledge.Error {
	var spent *neo4j.TransactionExecutionLimit
	if errors.As(err, &spent) && len(spent.Errors) > 0 {
		return byCode(spent.Errors[len(spent.Errors)-1])
	}
	var e *neo4j.Neo4jError
	if errors.As(err, &e) {
		switch e.Code {
		case codeConstraint, codeEntityNotFound, codeLockTimeout, codeDeadlock:
			return knowledge.Errorf(knowledge.CodeConflict, "other writes came first, again and again; try once more")
		case codeTimedOut, codeTimedOutClient:
			return knowledge.Errorf(knowledge.CodeTimeout, "the database took too long to answer")
		case codeUnauthorized, codeRateLimit:
			return knowledge.Errorf(knowledge.CodeUnavailable, "the database refused the user name or password: check NEO4J_USERNAME and NEO4J_PASSWORD")
		case codeForbidden:
			return knowledge.Errorf(knowledge.CodeUnavailable, "the database user may not do this: it needs to read, write and create indexes")
		case codeNoDatabase:
			return knowledge.Errorf(knowledge.CodeUnavailable, "the database of NEO4J_DATABASE does not exist on this server")
		}
		if strings.HasPrefix(e.Code, "Neo.TransientError.") {
			return knowledge.Errorf(knowledge.CodeUnavailable, "the database is busy or changing over; try again")
		}
		return knowledge.Errorf(knowledge.CodeInternal, "internal error")
	}
	if neo4j.IsConnectivityError(err) || neo4j.IsRetryable(err) {
		return knowledge.Errorf(knowledge.CodeUnavailable, "the database does not answer: check that it runs and that NEO4J_URI is right")
	}
	return knowledge.Errorf(knowledge.CodeInternal, "internal error")
}
