package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"mneme/knowledge"
)

// maintenanceMetrics count the runs of maintenance on this server. No workspace has a label
// of its own: there may be thousands.
type maintenanceMetrics struct {
	runs, items *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
}

func newMaintenanceMetrics() *maintenanceMetrics {
	return &maintenanceMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "maintenance_runs_total", Help: "Runs of maintenance that began on this server, by task and how they ended: done, failed, interrupted, lost.",
		}, []string{"task", "end"}),
		items: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "maintenance_items_total", Help: "What runs of maintenance on this server did, by task and count: processed, decayed, expired, merged and so on.",
		}, []string{"task", "count"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "maintenance_run_seconds", Help: "How long runs of maintenance took in one workspace.", Buckets: prometheus.ExponentialBuckets(0.01, 4, 10),
		}, []string{"task"}),
	}
}

// Describe implements prometheus.Collector.
func (m *maintenanceMetrics) Describe(out chan<- *prometheus.Desc) {
	m.runs.Describe(out)
	m.items.Describe(out)
	m.seconds.Describe(out)
}

// Collect implements prometheus.Collector.
func (m *maintenanceMetrics) Collect(out chan<- prometheus.Metric) {
	m.runs.Collect(out)
	m.items.Collect(out)
	m.seconds.Collect(out)
}

// observe counts a run.
func (m *maintenanceMetrics) observe(run *knowledge.MaintenanceRun, took time.Duration) {
	task := taskWord(run.Task)
	m.seconds.WithLabelValues(task).Observe(took.Seconds())
	end := "interrupted"
	switch {
	case run.Outcome == knowledge.OutcomeHeld:
		end = "lost"
	case run.Error != nil:
		end = "failed"
	case run.FinishedAt != nil:
		end = "done"
		for _, c := range run.Counts {
			m.items.WithLabelValues(task, c.Key).Add(float64(c.Count))
		}
	}
	m.runs.WithLabelValues(task, end).Inc()
}
