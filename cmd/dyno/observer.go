package main

import (
	"os"

	"dyno/lab/present/live"
	"dyno/lab/runner"
)

// newObserver shows a run as the flags ask for it.
func newObserver(asJSON bool, global *globalFlags, r *runner.Runner) live.Observer {
	switch {
	case asJSON:
		return live.NewJSONLines(os.Stdout)
	case global.quiet:
		return live.Silent{}
	case global.liveLines():
		return live.NewDashboard(os.Stderr, r)
	}
	return live.NewLines(os.Stderr)
}
