package subject

import (
	"context"
	"errors"
	"maps"
	"os"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Own is a program of the user's, which dyno knows only by its commands. In their
// environment DYNO is the path of the program that runs them.
type Own struct {
	Name  string
	Build string // shell command run once before the first start; empty for none
	Run   string // shell command; $PORT is the port to listen on
	Dir   string // where both are executed; empty for the current folder
	Env   map[string]string
	Ready string // see [StartSpec]
	Poll  string // see [StartSpec]
	// ReadyWithin is how long it may take until it is ready; see [StartSpec.Timeout].
	ReadyWithin time.Duration
	Out         string // folder for what the build makes, $OUT to both commands; empty for none
	Flags       string // $DYNO_BUILD_FLAGS to the build; flags of go build in the syntax of a shell
}

// Prepare executes the build command, if there is one, and writes what it
// prints to the file log (empty for none). It fails as [Builder.Build] does.
func (o Own) Prepare(ctx context.Context, log string, progress func(line string)) error {
	if strings.TrimSpace(o.Build) == "" {
		return nil
	}
	env, err := filled(o.env())
	if err != nil {
		return i18n.Errorf("runner.subject", "subject %s: %w", o.Name, err)
	}
	return runBuild(ctx, buildRun{
		Subject: o.Name, Command: o.Build, Dir: o.Dir, Env: environ(env, map[string]string{flagsVariable: o.Flags}),
		Log: log, Progress: progress,
	})
}

// env is the environment of both commands.
func (o Own) env() map[string]string {
	env := make(map[string]string)
	if self, err := os.Executable(); err == nil {
		env["DYNO"] = self
	}
	maps.Copy(env, o.Env)
	if o.Out != "" {
		env["OUT"] = o.Out
	}
	return env
}

// StartSpec says how to start the program.
func (o Own) StartSpec() (StartSpec, error) {
	if strings.TrimSpace(o.Run) == "" {
		return StartSpec{}, errors.New("subject " + o.Name + " has no command to run")
	}
	return StartSpec{
		Name: o.Name, Shell: o.Run, Dir: o.Dir, Env: o.env(), Ready: o.Ready, Timeout: o.ReadyWithin, Poll: o.Poll,
	}, nil
}
