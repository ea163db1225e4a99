package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/maintenance"
	"mneme/service"
)

// maintenancePlan is what the settings say of maintenance.
type maintenancePlan struct {
	Off   bool // nothing runs by itself
	Tasks []maintenance.Task
}

// maintenanceSettings are MNEME_MAINTENANCE and a schedule for each task.
func maintenanceSettings() []setting {
	out := []setting{{name: "MNEME_MAINTENANCE", preset: preset("on")}}
	for _, task := range maintenance.Tasks(nil) {
		out = append(out, setting{name: scheduleSetting(task.Name), preset: preset(task.Schedule)})
	}
	return out
}

func scheduleSetting(task knowledge.MaintenanceTask) string {
	return "MNEME_MAINTENANCE_" + taskWord(task)
}

// taskWord is a task as people write it.
func taskWord(task knowledge.MaintenanceTask) string { return strings.ToUpper(string(task)) }

// readMaintenance reads the settings; INVALID_INPUT names the one that is wrong.
func readMaintenance(value func(string) string) (maintenancePlan, error) {
	on, known := onOff(value("MNEME_MAINTENANCE"))
	if !known {
		return maintenancePlan{}, knowledge.Invalid("MNEME_MAINTENANCE", "%q is neither on nor off", value("MNEME_MAINTENANCE"))
	}
	configs := map[knowledge.MaintenanceTask]maintenance.TaskConfig{}
	for _, task := range knowledge.MaintenanceTasks() {
		schedule := strings.TrimSpace(value(scheduleSetting(task)))
		if schedule == "" {
			continue
		}
		if state, known := onOff(schedule); known && !state {
			schedule = maintenance.Off
		}
		if err := maintenance.CheckSchedule(schedule); err != nil {
			return maintenancePlan{}, knowledge.Invalid(scheduleSetting(task), "%s", messageOf(err))
		}
		configs[task] = maintenance.TaskConfig{Schedule: schedule}
	}
	return maintenancePlan{Off: !on, Tasks: maintenance.Tasks(configs)}, nil
}

// messageOf is what an error says, without the field that it blames.
func messageOf(err error) string {
	if e, ok := err.(*knowledge.Error); ok { //nolint:errorlint // it is not wrapped
		return e.Message
	}
	return err.Error()
}

// upkeep says how maintenance runs in this process.
func (a *App) upkeep() service.UpkeepConfig {
	host, err := os.Hostname()
	if err != nil {
		host = "server" // its name is only for people
	}
	return service.UpkeepConfig{
		Holder: fmt.Sprintf("%s/%d/%s", host, os.Getpid(), newID("srv")), Lease: maintenance.Lease(a.Config.Maintenance.Tasks, now()), Observe: a.maintained.observe,
	}
}

// scheduler runs maintenance by itself until its context ends, unless that is switched off.
func (a *App) scheduler() (func(context.Context) error, error) {
	if a.Config.Maintenance.Off {
		return func(context.Context) error { return nil }, nil
	}
	s, err := maintenance.NewScheduler(maintenance.SchedulerConfig{Upkeep: a.Upkeep, Tasks: a.Config.Maintenance.Tasks, Clock: now, Log: a.Log})
	if err != nil {
		return nil, err
	}
	return s.Run, nil
}

func (p *program) maintainCommand() *cobra.Command {
	var workspace string
	var call service.MaintenanceCall
	var asJSON bool
	words := make([]string, 0, len(knowledge.MaintenanceTasks()))
	for _, task := range knowledge.MaintenanceTasks() {
		words = append(words, taskWord(task))
	}
	cmd := &cobra.Command{
		Use:   "maintain [TASK]",
		Short: "Run a task of maintenance now, or show the last runs",
		Long: "Runs one task of maintenance in a workspace now: " + strings.Join(words, ", ") + ".\n" +
			"Without a task it shows the last runs. A server runs them all by itself, when they are due.",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: words,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
					runs, err := a.Upkeep.Runs(cmd.Context(), ws.ID)
					if err != nil {
						return err
					}
					return p.printRuns(runs, asJSON)
				})
			}
			call.Task = knowledge.MaintenanceTask(strings.ToLower(strings.ReplaceAll(args[0], "-", "_")))
			if !slices.Contains(knowledge.MaintenanceTasks(), call.Task) {
				return knowledge.Invalid("TASK", "%q is not one of %s", args[0], strings.Join(words, ", "))
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.maintain(cmd.Context(), a, workspace, call, asJSON) })
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&call.Force, "force", false, "run it although it was done already, or too recently")
	cmd.Flags().BoolVar(&call.DryRun, "dry-run", false, "only say what would change, with examples")
	cmd.Flags().BoolVar(&call.Undo, "undo", false, "take back what SCOPED_EXPANSION has written")
	return cmd
}

func (p *program) maintain(ctx context.Context, a *App, workspace string, call service.MaintenanceCall, asJSON bool) error {
	run, err := a.Upkeep.Run(ctx, service.Target{Workspace: workspace, Caller: caller()}, call)
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(rowOfRun(run))
	}
	p.stdout.printf("%s\n", verdict(run))
	for _, c := range run.Counts {
		p.stdout.printf("  %s %d\n", c.Key, c.Count)
	}
	for _, example := range run.Examples {
		p.stdout.printf("  e.g. %s\n", example)
	}
	return nil
}

// verdict says in a line what became of asking for a run.
func verdict(run *knowledge.MaintenanceRun) string {
	task := taskWord(run.Task)
	switch run.Outcome {
	case knowledge.OutcomeAlreadyDone:
		return task + " was done already; --force runs it again"
	case knowledge.OutcomeHeld:
		return task + " is being run by " + run.Holder
	case knowledge.OutcomeNotDue:
		return task + " ran less than 24 hours ago; --force runs it now"
	case knowledge.OutcomeDryRun:
		return task + " would change:"
	case knowledge.OutcomeRan:
		return task + " is done:"
	}
	return task
}

// runRow is a run as it is printed.
type runRow struct {
	Task       string         `json:"task"`
	Outcome    string         `json:"outcome"`
	StartedAt  time.Time      `json:"startedAt"`
	FinishedAt *time.Time     `json:"finishedAt"`
	Holder     string         `json:"holder"`
	Counts     map[string]int `json:"counts"`
	Error      *string        `json:"error"`
	Examples   []string       `json:"examples"`
}

func rowOfRun(run *knowledge.MaintenanceRun) runRow {
	r := runRow{
		Task: taskWord(run.Task), Outcome: strings.ToUpper(string(run.Outcome)), StartedAt: run.StartedAt, FinishedAt: run.FinishedAt, Holder: run.Holder,
		Counts: map[string]int{}, Error: run.Error, Examples: append([]string{}, run.Examples...),
	}
	for _, c := range run.Counts {
		r.Counts[c.Key] = c.Count
	}
	return r
}

func (p *program) printRuns(runs []*knowledge.MaintenanceRun, asJSON bool) error {
	rows := make([]runRow, 0, len(runs))
	cells := make([]table.Row, 0, len(runs))
	for _, run := range runs {
		r := rowOfRun(run)
		rows = append(rows, r)
		counts := make([]string, 0, len(run.Counts))
		for _, c := range run.Counts {
			if c.Count != 0 {
				counts = append(counts, fmt.Sprintf("%s %d", c.Key, c.Count))
			}
		}
		cells = append(cells, table.Row{r.Task, state(run), run.StartedAt.Local().Format(time.DateTime), strings.Join(counts, ", ")})
	}
	if asJSON {
		return p.printJSON(map[string]any{"runs": rows})
	}
	p.printTable(table.Row{"task", "state", "started", "counts"}, cells)
	return nil
}

func state(run *knowledge.MaintenanceRun) string {
	switch {
	case run.Error != nil:
		return "failed: " + *run.Error
	case run.FinishedAt == nil:
		return "not finished"
	default:
		return "done"
	}
}
