package main

import (
	"fmt"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/stats/statstest"
)

// recordVersion changes when records can't be read as before.
const recordVersion = 1

// Record is what a simulation found.
type Record struct {
	Version  int                   `json:"version"`
	Command  []string              `json:"command"`
	Seed     uint64                `json:"seed"`
	Runs     []string              `json:"runs,omitempty"`     // that trials were drawn from
	Machines []machine.Fingerprint `json:"machines,omitempty"` // that the runs were recorded on
	Results  []Result              `json:"results"`
}

// Result is one rate.
type Result struct {
	What       string         `json:"what"`   // coverage, aa, power, live or flagged
	Series     string         `json:"series"` // noise, or the trials drawn from
	Figure     string         `json:"figure"` // what was compared or estimated
	Rule       string         `json:"rule,omitempty"`
	Blocks     int            `json:"blocks,omitempty"` // of a study at most; restarts or windows of what is estimated
	Effect     float64        `json:"effect,omitempty"` // true ratio
	Happened   statstest.Rate `json:"happened"`         // covered, told different, or flagged
	MeanBlocks float64        `json:"mean_blocks,omitempty"`
	Wanted     string         `json:"wanted,omitempty"`
	Note       string         `json:"note,omitempty"`
}

func (r *Record) add(result Result) { r.Results = append(r.Results, result) }

// sections are the headings of the kinds of results, and what their rate is of.
var sections = map[string][2]string{
	"coverage":   {"How often the truth is told", "right"},
	"aa":         {"Identical subjects called different", "different"},
	"power":      {"Differences found", "found"},
	"live":       {"Twins called different, in whole studies", "different"},
	"unequal":    {"Subjects that scatter each in its own way", "happened"},
	"unequal-aa": {"Such subjects called different, whose geometric means are the same", "different"},
	"days":       {"Alarms of a gate against a baseline of so many days", "alarmed"},
	"history":    {"Changes found in series of runs", "found"},
	"knee":       {"Knees of simulated curves", "happened"},
	"sobol":      {"Sobol indices of known functions", "covered"},
	"modes":      {"Starts of two kinds", "seen"},
	"verdicts":   {"Verdicts on claims whose truth is known", "given"},
	"shapes":     {"Comparisons whose trials the machine, the clock or their choice shapes", "happened"},
	"gates":      {"Gates under such trials", "happened"},
	"calendars":  {"Changes found in series of nights of other shapes", "found"},
	"slices":     {"Subjects that take turns in slices", "right"},
	"dismissed":  {"Doubts that a verdict was held to, of what is injected", "dismissed"},
	"pairs":      {"Gates in pairs of slices, two stages", "alarmed"},
	"bias":       {"Ratios of the same subjects, measured in two ways", "–"},
	"settling":   {"What a request costs in the first part of a slice, against the rest", "–"},
	"states":     {"How subjects in slices follow the machine, 1 being their mean", "–"},
	"covariate":  {"Half widths with the machine's speed beside each slice, as a multiple of those without", "–"},
	"levels":     {"Sobol indices over inputs with a few levels", "covered"},
	"flagged":    {"Trials doubted, by what lowers their worth", "flagged"},
}

// Markdown writes the results as tables.
func (r *Record) Markdown() string {
	var out strings.Builder
	for _, kind := range kinds {
		section, first := sections[kind], true
		for _, result := range r.Results {
			if result.What != kind {
				continue
			}
			if first {
				first = false
				fmt.Fprintf(&out, "## %s\n\n| series | of | rule | size | effect | %s (95 %% interval) | wanted | ends after | |\n", section[0], section[1])
				fmt.Fprintln(&out, "|---|---|---|---:|---:|---:|---:|---:|---|")
			}
			fmt.Fprintln(&out, result.row())
		}
		if !first {
			fmt.Fprintln(&out)
		}
	}
	return out.String()
}

func (r *Result) row() string {
	blocks, effect, ends := "", "", ""
	if r.Blocks > 0 {
		blocks = strconv.Itoa(r.Blocks)
	}
	if r.Effect > 0 {
		effect = fmt.Sprintf("%.3f", r.Effect)
	}
	if r.MeanBlocks > 0 {
		ends = fmt.Sprintf("%.1f", r.MeanBlocks)
	}
	happened := ""
	if r.Happened.Of > 0 {
		happened = r.Happened.String()
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s |",
		r.Series, r.Figure, r.Rule, blocks, effect, happened, r.Wanted, ends, r.Note)
}

// save writes the record as NAME.json and NAME.md.
func (r *Record) save(folder, name string) error {
	return rounds.WriteDocument(folder, name, r, r.heading(name)+r.Markdown())
}

func (r *Record) heading(name string) string {
	text := fmt.Sprintf("# Statistics: %s\n\n`%s`\n", name, strings.Join(r.Command, " "))
	before := ""
	for i, id := range r.Runs {
		m := &r.Machines[i]
		if on := fmt.Sprintf("%s with %d CPUs, kernel %s", m.CPUModel, m.CPUs, m.Kernel); on != before {
			before = on
			text += fmt.Sprintf("\nTrials measured on %s, in run:\n\n", on)
		}
		text += fmt.Sprintf("- `%s`\n", id)
	}
	return text + "\n"
}
