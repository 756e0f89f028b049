package load

import (
	"os"
	"os/exec"
	"testing"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// TestNoReuseWithinTheFileLimit: a load that closes and opens connections all the
// time needs no more files than it has connections, and those for which
// [engine.roomForFiles] looks. The server is in a process of its own, with its own limit.
func TestNoReuseWithinTheFileLimit(t *testing.T) {
	t.Parallel()
	const inside = "DYNO_TEST_TARGET"
	target := os.Getenv(inside)
	if target == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		_, target := visited(t, nil)
		cmd := exec.Command("sh", "-c", `ulimit -n 200 && exec "$0" "$@"`, self, "-test.run", "^"+t.Name()+"$", "-test.timeout", "5m")
		cmd.Env = append(os.Environ(), inside+"="+target)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, engine := range []string{"uring", "epoll"} {
		s := spec(target, profile.Profile{Mode: profile.Closed, Connections: 120})
		s.Engine, s.MaxRequests, s.Duration, s.Link.Reuse = engine, 3000, 0, request.NoReuse
		if all := everything(ran(t, s)); all.Completed != 3000 || all.Errors.Total() != 0 {
			t.Errorf("%s: completed %d, errors %+v", engine, all.Completed, all.Errors)
		}
	}
}
