package load

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// eventually tries what a machine that stands still can spoil, until nothing is wrong with
// it: ten times at most, as what is wrong with the program is wrong each time. What can't
// be wrong on any machine is reported to t instead.
func eventually(t *testing.T, try func(wrong func(format string, args ...any))) {
	t.Helper()
	const tries = 10
	var found []string
	for range tries {
		found = nil
		try(func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) })
		if len(found) == 0 || t.Failed() {
			return
		}
	}
	t.Errorf("in each of %d tries; in the last: %s", tries, strings.Join(found, "\n"))
}

// begun is [Run]; once more, a few times, if it did not begin.
func begun(ctx context.Context, s Spec) (*Result, error) {
	r, err := Run(ctx, s)
	for tries := 0; notBegun(err) && tries < 20 && ctx.Err() == nil; tries++ {
		r, err = Run(ctx, s)
	}
	return r, err
}

// notBegun reports whether a load failed as a busy machine did not get to its first
// connection in time, or the server let that fall before any request.
func notBegun(err error) bool {
	return err != nil && containsAny(err.Error(), "no response within|i/o timeout|deadline exceeded|TLS handshake|no QUIC server responded")
}

// lateConnects is how many connections of a load were not made within its time limit, as
// happens on a busy machine; 0 if any failed for another reason.
func lateConnects(r *Result) uint64 {
	if !containsAny(r.FirstErrors["connect"].String(), "timeout|timed out|deadline exceeded|no QUIC server responded") {
		return 0
	}
	return everything(r).Errors.Connect
}
