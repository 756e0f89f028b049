package cli

import (
	"errors"
	"fmt"
	"testing"
)

func TestExitCode(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		err         error
		interrupted bool
		want        int
	}{
		{nil, false, 0}, {nil, true, 130}, {failed, false, 1}, {failed, true, 130},
		{UsageError(failed), false, 2}, {fmt.Errorf("wrapped: %w", UsageError(failed)), false, 2},
		{&ExitError{ExitInterrupted, failed}, true, 130}, {UsageError(nil), false, 0},
	} {
		if got := ExitCode(c.err, c.interrupted, "en"); got != c.want {
			t.Errorf("exitCode(%v, %v) = %d, want %d", c.err, c.interrupted, got, c.want)
		}
	}
}

func TestLangOf(t *testing.T) {
	for want, args := range map[string][][]string{
		"zh": {{"load", "--no-such-flag", "--lang", "zh"}, {"--lang=zh", "load"}, {"--lang", "en", "--lang", "zh"}},
		"":   {nil, {"load", "--lang"}, {"load", "--", "--lang", "zh"}},
	} {
		for _, a := range args {
			if got := LangOf(a); got != want {
				t.Errorf("%q: %q, want %q", a, got, want)
			}
		}
	}
}
