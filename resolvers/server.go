package resolvers

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/rs/cors"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"mneme/graph"
	"mneme/knowledge"
)

// Limits of SPEC U, and what keeps the parser's own work small.
const (
	defaultDepth      = 15
	defaultFields     = 1_000
	defaultAliases    = 50
	defaultComplexity = 100_000
	defaultBody       = 4 << 20
	defaultTimeout    = 30 * time.Second
	queryCacheSize    = 1_000
	maxCachedQuery    = 16 << 10
	maxQueryTokens    = 15_000
)

// Config says how the API is served. Zero values take the defaults.
type Config struct {
	Resolver *Resolver
	Log      *slog.Logger // nil: slog.Default

	MaxDepth      int           // nesting of fields; 15
	MaxFields     int           // fields after fragments; 1,000
	MaxAliases    int           // 50
	MaxComplexity int           // what an operation may cost, a field of a list as often as the list is long; 100,000
	MaxBodyBytes  int64         // 4 MiB
	Timeout       time.Duration // of a request, down to the database; 30 s

	Introspection bool     // whether clients may read the schema
	CORSOrigins   []string // origins whose pages may call; none without
	// LoopbackOnly refuses requests that name the server by anything but a loopback
	// address, as a page does whose name was made to point here. For servers without keys.
	LoopbackOnly bool

	gather time.Duration // how long loaders gather; loaderWait
}

func (c Config) withDefaults() Config {
	c.MaxDepth = orDefault(c.MaxDepth, defaultDepth)
	c.MaxFields = orDefault(c.MaxFields, defaultFields)
	c.MaxAliases = orDefault(c.MaxAliases, defaultAliases)
	c.MaxComplexity = orDefault(c.MaxComplexity, defaultComplexity)
	c.MaxBodyBytes = orDefault(c.MaxBodyBytes, defaultBody)
	c.Timeout = orDefault(c.Timeout, defaultTimeout)
	c.gather = orDefault(c.gather, loaderWait)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// NewHandler serves the GraphQL API: queries by GET and POST, mutations by POST.
func NewHandler(cfg Config) (http.Handler, error) {
	cfg = cfg.withDefaults()
	if cfg.Resolver == nil {
		return nil, fmt.Errorf("graphql handler: no resolver")
	}
	errs := presenter{cfg.Log}
	srv := executor.New(costed{executableSchema(cfg.Resolver)})
	srv.SetQueryCache(newQueryCache[*ast.QueryDocument]())
	srv.SetParserTokenLimit(maxQueryTokens)
	srv.SetDisableSuggestion(true)
	srv.SetDefaultRulesFn(quietRules)
	srv.SetErrorPresenter(errs.present)
	srv.SetRecoverFunc(errs.recover)
	srv.Use(shapeLimits{depth: cfg.MaxDepth, fields: cfg.MaxFields, aliases: cfg.MaxAliases})
	srv.Use(&inputRules{})
	srv.Use(&costLimit{max: cfg.MaxComplexity})
	srv.Use(introspection{allowed: cfg.Introspection})
	srv.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		return next(withLoaders(ctx, newLoaders(cfg.Resolver, cfg.gather)))
	})
	srv.AroundRootFields(func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		if graphql.GetOperationContext(ctx).Operation.Operation == ast.Mutation {
			ctx = withLoaders(ctx, newLoaders(cfg.Resolver, cfg.gather)) // what a mutation read may be old for the next one
		}
		return next(ctx)
	})
	srv.AroundFields(idempotent{keys: cfg.Resolver.Idempotency, answers: newAnswerTypes()}.aroundField)

	guarded := guardedExecutor{GraphExecutor: srv, fields: 2 * cfg.MaxFields, passed: newQueryCache[struct{}]()}
	return withCORS(cfg, requests{cfg: cfg, errs: errs, next: transport{exec: guarded, maxBody: cfg.MaxBodyBytes, errs: errs, origins: cfg.CORSOrigins}}), nil
}

// withCORS lets the pages of the configured origins call.
func withCORS(cfg Config, h http.Handler) http.Handler {
	if len(cfg.CORSOrigins) == 0 {
		return h
	}
	return cors.New(cors.Options{
		AllowedOrigins: cfg.CORSOrigins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"Content-Type", "Authorization"},
		ExposedHeaders: []string{requestIDHeader},
	}).Handler(h)
}

// queryCache remembers what was made of documents, but not of long ones: they hold
// values that will hardly come again, and a thousand of them would fill the memory.
type queryCache[T any] struct{ graphql.Cache[T] }

func newQueryCache[T any]() graphql.Cache[T] { return queryCache[T]{lru.New[T](queryCacheSize)} }

// Add implements graphql.Cache.
func (c queryCache[T]) Add(ctx context.Context, query string, value T) {
	if len(query) <= maxCachedQuery {
		c.Cache.Add(ctx, query, value)
	}
}

// quietRules are GraphQL's rules with messages that name nothing of the schema that was
// not asked for: gqlgen's own switch leaves arguments, types and values out.
func quietRules() *rules.Rules {
	all := rules.NewDefaultRules()
	for _, quiet := range []validator.Rule{
		rules.FieldsOnCorrectTypeRuleWithoutSuggestions, rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRuleWithoutSuggestions, rules.ScalarLeafsRuleWithoutSuggestions,
		rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		all.RemoveRule(strings.TrimSuffix(quiet.Name, "WithoutSuggestions"))
		all.AddRule(quiet.Name, quiet.RuleFunc)
	}
	return all
}

// executableSchema is the generated schema without @defer: an answer in parts needs a
// transport that can send them, and would lose them otherwise.
func executableSchema(r *Resolver) graphql.ExecutableSchema {
	schema := *graph.NewExecutableSchema(graph.Config{Resolvers: r}).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer")
	return graph.NewExecutableSchema(graph.Config{Schema: &schema, Resolvers: r})
}

const requestIDHeader = "X-Request-Id"

// requests gives every request its id, its caller and its deadline.
type requests struct {
	cfg     Config
	errs    presenter
	endless bool // requests last as long as they need
	next    http.Handler
}

func (h requests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, id := withRequestID(r.Context())
	w.Header().Set(requestIDHeader, id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if h.cfg.LoopbackOnly && !isLoopback(r.Host) {
		refuse(ctx, w, r, h.errs, http.StatusForbidden,
			knowledge.Errorf(knowledge.CodeForbidden, "this server answers on loopback addresses only"))
		return
	}
	if !h.endless && !lasting(r) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.cfg.Timeout)
		defer cancel()
	}
	defer func() {
		if cause := recover(); cause != nil {
			if cause == http.ErrAbortHandler { //nolint:errorlint // the very value that net/http compares with
				panic(cause)
			}
			refuse(ctx, w, r, h.errs, http.StatusInternalServerError, h.errs.recover(ctx, cause))
		}
	}()
	ctx = withCaller(ctx, localCaller())
	h.next.ServeHTTP(w, r.WithContext(ctx))
}

// localCaller is who calls a server without keys: a person at this machine.
func localCaller() knowledge.Caller {
	return knowledge.Caller{Name: "local", Actor: knowledge.ActorManual}
}

// isLoopback tells whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
