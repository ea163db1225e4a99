package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"mneme/internal/mavencache"
	"mneme/localneo4j"
)

// plainInterval is how often a line is printed where no bar can be drawn.
const plainInterval = 10 * time.Second

// meter shows how a long piece of work goes on: a bar with rate and time left on a
// terminal, a line now and then elsewhere. It is used by one goroutine.
type meter struct {
	out   *output
	label string
	total int64 // in the unit of set's done; 0: not known
	bar   *progressbar.ProgressBar
	start time.Time
	last  time.Time
}

// newMeter starts a meter on stderr for work of a known total, in bytes or whatever; 0 is unknown.
func (p *program) newMeter(label string, total int64) *meter {
	m := &meter{out: p.stderr, label: label, total: total, start: time.Now()}
	m.last = m.start
	if !p.stderr.isTerminal() {
		return m
	}
	if total <= 0 {
		total = -1
	}
	m.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.stderr),
		progressbar.OptionSetDescription(label),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(true),
	)
	return m
}

// set says how much is done, and what to show beside the label.
func (m *meter) set(done int64, detail string) {
	if m.bar != nil {
		m.bar.Describe(m.label + " " + detail)
		_ = m.bar.Set64(done) // an error only says that the bar is full
		return
	}
	now := time.Now()
	if now.Sub(m.last) < plainInterval {
		return
	}
	m.last = now
	line := m.label + " " + detail
	if m.total > 0 && done > 0 {
		left := time.Duration(float64(now.Sub(m.start)) * float64(m.total-done) / float64(done))
		line += fmt.Sprintf(", %d %%, about %s left", 100*done/m.total, left.Round(time.Second))
	}
	m.out.printf("%s\n", line)
}

// println prints a line without tearing the bar.
func (m *meter) println(line string) {
	if m.bar != nil {
		_ = m.bar.Clear() // what cannot be cleared is overwritten
	}
	m.out.printf("%s\n", line)
}

// finish takes the bar away.
func (m *meter) finish() {
	if m.bar != nil {
		_ = m.bar.Finish() // nothing to do about a terminal that is gone
	}
}

// fetchMeter shows the fetch of something that a first run needs, from its first report on.
func (p *program) fetchMeter(what string) func(mavencache.Progress) {
	var m *meter
	return func(r mavencache.Progress) {
		switch r.Stage {
		case mavencache.StageDone:
			if m != nil {
				m.finish()
				p.stderr.printf("fetched %s in %s\n", what, time.Since(m.start).Round(100*time.Millisecond))
				m = nil
			}
			return
		case localneo4j.StageStarting:
			p.stderr.printf("starting %s\n", what)
			return
		case mavencache.StageWaiting, mavencache.StageRepairing:
			p.stderr.printf("%s: %s\n", what, r.Detail)
			return
		}
		if m == nil {
			m = p.newMeter("fetching "+what, r.TotalBytes)
			if m.bar == nil {
				p.stderr.printf("fetching %s (about %d MB, kept for later runs)\n", what, r.TotalBytes>>20)
			}
		}
		m.set(r.Bytes, fmt.Sprintf("%d MB", r.Bytes>>20))
	}
}
