package main

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsPrefix begins the names of all metrics, those of Go and of the process too.
const metricsPrefix = "mneme_"

// metrics are what /metrics shows: requests as they are served, and what is open in the
// database, which is asked when somebody looks.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(a *App) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "http_requests_total", Help: "Requests that were answered, by path and status."}, []string{"path", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_request_duration_seconds", Help: "How long answers took, by path.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}, []string{"path"}),
	}
	named := prometheus.WrapRegistererWithPrefix(metricsPrefix, m.registry)
	named.MustRegister(m.requests, m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), newDatabaseCollector(a), newModelCollector(a), a.maintained)
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "build_info", Help: "The version that runs; always 1."}, []string{"version"})
	info.WithLabelValues(versionText()).Set(1)
	named.MustRegister(info)
	return m
}

// watched counts the requests of a path and how long they take.
func (m *metrics) watched(path string, next http.Handler) http.Handler {
	labels := prometheus.Labels{"path": path}
	return promhttp.InstrumentHandlerDuration(m.seconds.MustCurryWith(labels), promhttp.InstrumentHandlerCounter(m.requests.MustCurryWith(labels), next))
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// databaseCollector asks the database.
type databaseCollector struct {
	app                     *App
	up, awaiting, jobs, ran *prometheus.Desc
}

func newDatabaseCollector(a *App) *databaseCollector {
	return &databaseCollector{
		app:      a,
		up:       prometheus.NewDesc("database_up", "Whether the database answers.", nil, nil),
		awaiting: prometheus.NewDesc("awaiting_vector", "What waits for its vector, and is found by text alone until then.", []string{"kind"}, nil),
		jobs:     prometheus.NewDesc("jobs", "Jobs that are not done.", []string{"state"}, nil),
		ran:      prometheus.NewDesc("maintenance_done_timestamp_seconds", "When a task of upkeep was last done in some workspace.", []string{"task"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *databaseCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.up, c.awaiting, c.jobs, c.ran} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *databaseCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	g, err := c.app.Store.Gauges(ctx)
	if err != nil {
		c.app.Log.WarnContext(ctx, "the database could not be asked for metrics", slog.Any("cause", err))
		gauge(c.up, 0)
		return
	}
	gauge(c.up, 1)
	for kind, n := range g.AwaitingVector {
		gauge(c.awaiting, float64(n), string(kind))
	}
	for state, n := range g.Jobs {
		gauge(c.jobs, float64(n), string(state))
	}
	for _, t := range g.TasksDone {
		gauge(c.ran, float64(t.At.UnixMilli())/1000, strings.ToUpper(t.Task))
	}
}

// modelCollector tells what language models were asked today, in UTC.
type modelCollector struct {
	app           *App
	calls, tokens *prometheus.Desc
}

func newModelCollector(a *App) *modelCollector {
	return &modelCollector{
		app:    a,
		calls:  prometheus.NewDesc("model_calls_today", "Requests to language models since midnight UTC, repeated ones included.", []string{"role"}, nil),
		tokens: prometheus.NewDesc("model_tokens_today", "Tokens of language models since midnight UTC.", []string{"role", "kind"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *modelCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.calls
	out <- c.tokens
}

// Collect implements prometheus.Collector.
func (c *modelCollector) Collect(out chan<- prometheus.Metric) {
	if c.app.Chat == nil {
		return
	}
	for role, usage := range c.app.Chat.Today().ByRole {
		out <- prometheus.MustNewConstMetric(c.calls, prometheus.GaugeValue, float64(usage.Calls), string(role))
		out <- prometheus.MustNewConstMetric(c.tokens, prometheus.GaugeValue, float64(usage.PromptTokens), string(role), "prompt")
		out <- prometheus.MustNewConstMetric(c.tokens, prometheus.GaugeValue, float64(usage.CompletionTokens), string(role), "completion")
	}
}
