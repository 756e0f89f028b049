package loadcmd

import (
	"os"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/present/loadpage"
	"dyno.example/dyno/study"
)

// page is what the report of the load is made of.
func (e *endedLoad) page() *loadpage.Load {
	l := &loadpage.Load{Load: &e.Load, Checks: e.checks(), Command: e.command(), Machine: machine.Read(), Version: cli.Version()}
	if e.kept != nil && e.kept.header != nil {
		l.Evidence, l.KeptIn, l.Kept = e.kept.file, e.kept.keep.folder, e.kept.keep.trial.Kept
	}
	return l
}

// command is the command line without the secrets in it.
func (e *endedLoad) command() []string {
	m := archive.Manifest{Command: append([]string{"dyno"}, os.Args[1:]...), Plan: study.Plan{Cells: []study.Cell{{Requests: e.Spec.Requests}}}}
	archive.Redact(&m)
	for i, word := range m.Command {
		for _, secret := range e.secrets {
			if secret != "" {
				word = strings.ReplaceAll(word, secret, request.Redacted)
			}
		}
		m.Command[i] = word
	}
	return m.Command
}
