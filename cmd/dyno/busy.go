package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dyno/lab/capacity"
	"dyno/lab/finding"
	"dyno/lab/load"
	"dyno/lab/machine"
	"dyno/lab/machine/busy"
)

// watchMachine watches the machine during loads on a target; the caller closes it.
// Before them it looks at who is busy, and says so.
func watchMachine(ctx context.Context, spec *load.Spec, w io.Writer) *busy.Watch {
	watch := busy.NewWatch(ctx, spec.Target, spec.CPUs, machine.OnlineCPUs())
	s := watch.Idle(ctx, 0)
	switch {
	case ctx.Err() != nil:
	case s == nil:
		fmt.Fprintln(w, "who else is busy on this machine can't be told here")
	case s.Busy():
		fmt.Fprintf(w, "%s; what is measured may be invalid\n", s)
	}
	return watch
}

// watchLoad has the machine watched during one load. Before a short one, for which a
// look would take long, nobody looks: other programs then make it suspect at most.
func watchLoad(ctx context.Context, spec *load.Spec, w io.Writer) (watch *busy.Watch) {
	if isLong(spec) {
		watch = watchMachine(ctx, spec, w)
	} else {
		watch = busy.NewWatch(ctx, spec.Target, spec.CPUs, machine.OnlineCPUs())
	}
	spec.Others = watch.Since
	return watch
}

// worthless is the error that an answer must not be used.
func worthless(d *capacity.Disturbed) error {
	if d.Validity != finding.Invalid {
		return nil
	}
	var names []string
	for i := range d.Findings {
		if d.Findings[i].Weight() == finding.Invalid {
			names = append(names, d.Findings[i].Name)
		}
	}
	return fmt.Errorf("the answer is INVALID: this machine was disturbed (%s); wait until it is quiet (dyno machine says who is busy), or take that into account no more with --accept", strings.Join(names, ", "))
}

// writeValidity says what a measurement of many trials is worth, and why.
func writeValidity(w io.Writer, d *capacity.Disturbed) {
	for _, line := range validityLines(d) {
		fmt.Fprintf(w, "  %-12s %s\n", line[0], line[1])
	}
}

func validityLines(d *capacity.Disturbed) [][2]string {
	lines := [][2]string{{"validity", strings.ToUpper(string(d.Validity))}}
	for i := range d.Findings {
		f := &d.Findings[i]
		lines = append(lines, [2]string{"", fmt.Sprintf("%s %s, in %s: %s", levelText(f.Validity), f.Name, trialsText(len(f.Windows)), f.Detail)})
	}
	return lines
}

// levelText is a finding's level as a word in a line.
func levelText(v finding.Validity) string {
	if v == finding.Valid {
		return "remark"
	}
	return strings.ToUpper(string(v))
}

func trialsText(n int) string {
	if n == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", n)
}
