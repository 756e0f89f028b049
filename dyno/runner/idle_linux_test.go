package runner

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
)

// What a subject uses before the load is seen, also in a process below it; one that
// waits uses nothing.
func TestIdleSubject(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		busy   bool
	}{
		"waits":      {"exec sleep 120", false},
		"spins":      {"while :; do :; done", true},
		"busy child": {"(while :; do :; done) & sleep 120", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.script)
			cmd.SysProcAttr = ownGroup()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer endGroup(cmd.Process.Pid)
			// On a machine that others keep busy, a process may not get a CPU for a while, and
			// then only a small share of one.
			const some = time.Millisecond
			for end := time.Now().Add(time.Minute); ; {
				seen := idle(t.Context(), cmd.Process.Pid)
				if seen == nil || seen.Length <= 0 {
					t.Fatalf("nothing is known: %+v", seen)
				}
				if busy := seen.CPU >= some; busy == c.busy {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("it used a CPU for %v of %v", seen.CPU, seen.Length)
				}
			}
		})
	}
}

func TestIdleOfNoProcess(t *testing.T) {
	if seen := idle(t.Context(), 0); seen != nil {
		t.Errorf("of somebody else's server: %+v", seen)
	}
	if f, found := (*measure.Idle)(nil).Finding(); found {
		t.Errorf("%+v", f)
	}
}

// ownGroup starts a process in a group of its own, which endGroup ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func endGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
