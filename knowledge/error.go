package knowledge

import (
	"errors"
	"fmt"
)

// Code is the machine-readable kind of an error: the contract's closed list.
type Code string

// The codes of the contract. Every front door reports exactly these.
const (
	CodeInvalidInput        Code = "INVALID_INPUT"
	CodeNotFound            Code = "NOT_FOUND"
	CodeAmbiguous           Code = "AMBIGUOUS"
	CodeConflict            Code = "CONFLICT"
	CodeOverlappingInterval Code = "OVERLAPPING_INTERVAL"
	CodeUnauthenticated     Code = "UNAUTHENTICATED"
	CodeForbidden           Code = "FORBIDDEN"
	CodeMemoryDisabled      Code = "MEMORY_DISABLED"
	CodeNoMemory            Code = "NO_MEMORY"
	CodeFeatureDisabled     Code = "FEATURE_DISABLED"
	CodeLimitExceeded       Code = "LIMIT_EXCEEDED"
	CodeTimeout             Code = "TIMEOUT"
	CodeRateLimited         Code = "RATE_LIMITED"
	CodeUnavailable         Code = "UNAVAILABLE"
	CodeInternal            Code = "INTERNAL"
)

// Error is the one error type whose message may reach a user.
type Error struct {
	Code Code
	// Field names the offending argument, as the caller wrote it; empty where none is to blame.
	Field string
	// Message is one sentence for a person; it never holds a query, a path or a stack.
	Message string
	// Candidates are what an AMBIGUOUS reference could mean.
	Candidates []Candidate
	cause      error
}

// Candidate is one entity that an ambiguous reference could mean.
type Candidate struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// Error implements error.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap gives the cause, which is for the log and never for the user.
func (e *Error) Unwrap() error { return e.cause }

// Errorf makes an error of a code without a field.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes an INVALID_INPUT that names the field to blame.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalidInput, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound makes a NOT_FOUND for the thing that field refers to.
func NotFound(field, format string, args ...any) *Error {
	return &Error{Code: CodeNotFound, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Limit makes a LIMIT_EXCEEDED that names the field and the limit.
func Limit(field, format string, args ...any) *Error {
	return &Error{Code: CodeLimitExceeded, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Because attaches the cause of an error, for the log.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// InField is the error with its field put below a parent, as in "input.name".
func InField(parent string, err error) error {
	var e *Error
	if err == nil || parent == "" || !errors.As(err, &e) {
		return err
	}
	below := *e
	below.Field = parent
	if e.Field != "" {
		below.Field = parent + "." + e.Field
	}
	return &below
}

// CodeOf is the code of an error: INTERNAL for whatever is not an Error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// IsNotFound tells whether the error says that something does not exist.
func IsNotFound(err error) bool { return err != nil && CodeOf(err) == CodeNotFound }
