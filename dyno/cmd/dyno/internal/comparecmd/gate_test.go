package comparecmd

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/regression"
)

// A regression is one even if the disk is full when it is written down.
func TestGateExit(t *testing.T) {
	full := errors.New("no space left on device")
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name     string
		ctx      context.Context
		decision regression.Decision
		err      error
		want     int
		says     string
	}{
		{"ok", t.Context(), regression.OK, nil, 0, ""},
		{"ok, not written", t.Context(), regression.OK, full, cli.ExitCannotTell, "can't tell: no space left"},
		{"can't tell", t.Context(), regression.CannotTell, nil, cli.ExitCannotTell, "can't tell"},
		{"regression", t.Context(), regression.Regression, nil, exitRegression, "regression"},
		{"regression, not written", t.Context(), regression.Regression, full, exitRegression, "no space left"},
		{"nothing measured", t.Context(), "", full, cli.ExitCannotTell, "can't tell: no space left"},
		{"wrong usage", t.Context(), "", cli.UsageError(full), cli.ExitUsage, "no space left"},
		{"interrupted", interrupted, regression.Regression, nil, cli.ExitInterrupted, "interrupted"},
	} {
		err := gateExit(c.ctx, c.decision, c.err)
		var exit *cli.ExitError
		code, text := 0, ""
		if errors.As(err, &exit) {
			code, text = exit.Code, exit.Error()
		}
		if code != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: code %d, %q; want %d, %q", c.name, code, text, c.want, c.says)
		}
	}
}
