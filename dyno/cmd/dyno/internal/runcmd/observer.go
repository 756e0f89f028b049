package runcmd

import (
	"os"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/present/live"
	"dyno.example/dyno/runner"
)

// NewObserver shows a run as the flags ask for it.
func NewObserver(asJSON bool, global *cli.Global, r *runner.Runner) live.Observer {
	switch {
	case asJSON:
		return live.NewJSONLines(os.Stdout)
	case global.Quiet:
		return live.Silent{}
	case global.LiveLines():
		return live.NewDashboard(os.Stderr, global.Texts(), r)
	}
	return live.NewLines(os.Stderr, global.Texts())
}
