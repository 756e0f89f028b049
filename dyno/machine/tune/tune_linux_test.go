package tune

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/machine/setting"
)

// again runs the test that calls it once more, in a process with the given
// attributes, and reports whether this is that process.
func again(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const inside = "DYNO_TEST_INSIDE"
	if os.Getenv(inside) != "" {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.timeout", "60s")
	cmd.Env = append(os.Environ(), inside+"=1")
	attr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr = attr
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// TestRealSettings tunes a network namespace of its own, is killed, and restores.
func TestRealSettings(t *testing.T) {
	if !again(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}) {
		return
	}
	tuner := &Tuner{Root: "/", Home: t.TempDir()}
	// Something to tune, whatever new namespaces begin with.
	for path, value := range map[string]string{"net/core/somaxconn": "100", "net/ipv4/ip_local_port_range": "30001 30100", "net/ipv4/tcp_tw_reuse": "0"} {
		if err := os.WriteFile("/proc/sys/"+path, []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var plan []Done
	before := make(map[string]string)
	for _, d := range tuner.Plan(setting.Network) {
		if d.Why.IsZero() {
			plan = append(plan, d)
			before[d.Path] = d.Old
		}
		if !strings.HasPrefix(d.Path, "proc/sys/net/") {
			t.Fatalf("%s is not of the namespace", d.Path)
		}
	}
	if len(plan) < 3 {
		t.Fatalf("plan: %+v", plan)
	}
	for steps := 1; ; steps++ {
		killed := victim{Root: "/", Home: tuner.Home, Profile: setting.Network, Steps: steps}.run(t)
		if !killed {
			for _, d := range plan {
				if now, err := tuner.current(d.Path); now != setting.Normal(d.New) || err != nil {
					t.Errorf("%s is %q (%v) when tuned, want %q", d.Path, now, err, d.New)
				}
			}
		}
		mustRestore(t, tuner, false)
		for path, want := range before {
			if now, err := tuner.current(path); now != want || err != nil {
				t.Errorf("killed after step %d: %s is %q (%v), want %q", steps, path, now, err, want)
			}
		}
		if !killed {
			return
		}
	}
}

func TestReadOnly(t *testing.T) {
	if !again(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}) {
		return
	}
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(tuner.Root, tuner.Root, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(tuner.Root, 0) })
	if err := unix.Mount("", tuner.Root, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	allRefused(t, tuner, "mounted read-only")
}

func TestWithoutRoot(t *testing.T) {
	if !again(t, &syscall.SysProcAttr{}) {
		return
	}
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	for _, dir := range []string{filepath.Dir(tuner.Root), tuner.Root, tuner.Home} {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	if err := syscall.Setresuid(nobody, nobody, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Setresuid(0, 0, 0) })
	allRefused(t, tuner, "needs root")
}

// allRefused holds that nothing can be set, that each is reported, and that the
// journal has nothing of it.
func allRefused(t *testing.T, tuner *Tuner, why string) {
	t.Helper()
	done := mustTune(t, tuner, setting.All)
	if len(done) < 10 {
		t.Errorf("only %d changes", len(done))
	}
	for _, d := range done {
		if !strings.Contains(d.Why.String(), why) {
			t.Errorf("%s: %q, want %q", d.Setting, d.Why, why)
		}
	}
	if got := mustRestore(t, tuner, false); len(got) != 0 {
		t.Errorf("restored %v", got)
	}
}
