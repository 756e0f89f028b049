package tune

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dyno.example/dyno/machine/setting"
)

// victim is a tuner that is killed after so many steps; see TestMain.
type victim struct {
	Root, Home string
	Profile    setting.Profile
	Restore    bool
	Assign     map[string]string // instead of tuning for a profile, and undo it
	Steps      int               // 0 for all
}

const victimVariable = "DYNO_TEST_TUNE"

func TestMain(m *testing.M) {
	order := os.Getenv(victimVariable)
	if order == "" {
		os.Exit(m.Run())
	}
	var v victim
	if err := json.Unmarshal([]byte(order), &v); err != nil {
		panic(err)
	}
	t := &Tuner{Root: v.Root, Home: v.Home, step: func(string) {
		if v.Steps--; v.Steps == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	var err error
	if v.Restore {
		_, err = t.Restore(false)
	} else if v.Assign != nil {
		err = assignAndUndo(t, v.Assign)
	} else {
		_, err = t.Tune(context.Background(), v.Profile)
	}
	if err != nil {
		panic(err)
	}
}

// run carries out v in a process of its own and reports whether it was killed.
func (v victim) run(t *testing.T) (killed bool) {
	t.Helper()
	order, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+string(order))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

// laptop writes the recorded laptop to a folder.
func laptop(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	data, err := os.ReadFile("../setting/testdata/laptop.tree")
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "proc/sys/kernel/random/boot_id", "first")
	for line := range strings.Lines(string(data)) {
		path, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		put(t, root, path, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.TrimPrefix(text, " ")))
	}
	return root
}

func put(t *testing.T, root, path, text string) {
	t.Helper()
	file := filepath.Join(root, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// values reads a whole tree, in the form in which settings are compared.
func values(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = setting.Current(os.DirFS(root), path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustTune(t *testing.T, tuner *Tuner, p setting.Profile) []Done {
	t.Helper()
	all, err := tuner.Tune(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustRestore(t *testing.T, tuner *Tuner, force bool) map[string]Outcome {
	t.Helper()
	all, err := tuner.Restore(force)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make(map[string]Outcome)
	for _, u := range all {
		outcomes[u.Path] = u.Outcome
	}
	return outcomes
}

func TestTuneAndRestore(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	plan := tuner.Plan(setting.All)
	if !maps.Equal(values(t, tuner.Root), before) {
		t.Fatal("planning changed something")
	}
	done := mustTune(t, tuner, setting.All)
	tuned := values(t, tuner.Root)
	if len(done) != len(plan) || len(done) < 10 {
		t.Errorf("planned %d changes, made %d", len(plan), len(done))
	}
	for _, d := range done {
		if !d.Why.IsZero() || tuned[d.Path] != setting.Normal(d.New) || before[d.Path] != d.Old {
			t.Errorf("%+v: is %q, was %q", d, tuned[d.Path], before[d.Path])
		}
	}
	if pending, err := tuner.Pending(); len(pending) != len(done) || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
	for path, outcome := range mustRestore(t, tuner, false) {
		if outcome != Restored {
			t.Errorf("%s: %s", path, outcome)
		}
	}
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("restored to %v, want %v", after, before)
	}
	if _, err := os.Stat(journalIn(tuner.Home).path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
	if again := mustRestore(t, tuner, false); len(again) != 0 {
		t.Errorf("restored again: %v", again)
	}
}

// TestKilledAtEachStep kills tuning, and then restoring, after each of their
// steps.
func TestKilledAtEachStep(t *testing.T) {
	for steps := 1; ; steps++ {
		root, home := laptop(t), t.TempDir()
		before := values(t, root)
		killed := victim{Root: root, Home: home, Profile: setting.All, Steps: steps}.run(t)
		if steps > 1 && maps.Equal(values(t, root), before) {
			t.Fatal("nothing was tuned: there is nothing to restore")
		}
		victim{Root: root, Home: home, Restore: true, Steps: (steps + 1) / 2}.run(t)
		mustRestore(t, &Tuner{Root: root, Home: home}, false)
		if after := values(t, root); !maps.Equal(after, before) {
			t.Fatalf("killed after step %d: restored to %v, want %v", steps, after, before)
		}
		if !killed {
			if steps < 20 {
				t.Errorf("tuning has only %d steps", steps-1)
			}
			return
		}
	}
}

func TestTunedTwice(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	mustTune(t, tuner, setting.Quiet)
	put(t, tuner.Root, "proc/sys/vm/swappiness", "60") // as by hand
	mustTune(t, tuner, setting.All)
	if again := mustTune(t, tuner, setting.All); len(again) != 0 {
		t.Errorf("a third time changes %v", again)
	}
	mustRestore(t, tuner, false)
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("restored to %v, want %v", after, before)
	}
}

func TestForeignChange(t *testing.T) {
	const path = "proc/sys/vm/swappiness"
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	mustTune(t, tuner, setting.Quiet)
	put(t, tuner.Root, path, "33")
	if got := mustRestore(t, tuner, false)[path]; got != Foreign {
		t.Errorf("a value of somebody else's: %s", got)
	}
	if now := values(t, tuner.Root)[path]; now != "33" {
		t.Errorf("it is %s now", now)
	}
	if got := mustRestore(t, tuner, true); len(got) != 1 || got[path] != Restored {
		t.Errorf("forced: %v", got)
	}
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("restored to %v, want %v", after, before)
	}
}

func TestRestoreAfterReboot(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	mustTune(t, tuner, setting.Quiet)
	tuned := values(t, tuner.Root)
	put(t, tuner.Root, "proc/sys/kernel/random/boot_id", "second")
	put(t, tuner.Root, "proc/sys/vm/swappiness", "60")
	if pending, err := tuner.Pending(); len(pending) != 0 || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
	all, err := tuner.Restore(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range all {
		// In this tree, the others keep what was set, as if set at boot too.
		if want := map[bool]string{true: "", false: tuned[u.Path]}[u.Setting == "swappiness"]; u.Outcome != Rebooted || u.Now != want {
			t.Errorf("%+v, want it to be %q now", u, want)
		}
	}
	if Incomplete(all) != nil || len(mustRestore(t, tuner, false)) != 0 {
		t.Error("the journal was not cleared")
	}
	// Tuning forgets the boot before too.
	mustTune(t, tuner, setting.All)
	put(t, tuner.Root, "proc/sys/kernel/random/boot_id", "third")
	put(t, tuner.Root, "proc/sys/vm/swappiness", "50")
	mustTune(t, tuner, setting.Quiet)
	if pending, err := tuner.Pending(); len(pending) != 1 || pending[0].Old != "50" || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
}

func TestLockedOut(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	unlock, err := lock(tuner.Home)
	if err != nil {
		t.Fatal(err)
	}
	before := values(t, tuner.Root)
	_, err1 := tuner.Tune(t.Context(), setting.All)
	_, err2 := tuner.Restore(false)
	for _, err := range []error{err1, err2} {
		if err == nil || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
			t.Errorf("error %v, want one that names the process", err)
		}
	}
	if !maps.Equal(values(t, tuner.Root), before) {
		t.Error("something was changed")
	}
	unlock()
	mustTune(t, tuner, setting.All)
}

func TestJournalCutOff(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	mustTune(t, tuner, setting.Quiet)
	path := journalIn(tuner.Home).path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, tuner.Root, "proc/sys/vm/swappiness", "60") // the last: its entry is cut off before it is set
	if err := os.WriteFile(path, data[:len(data)-7], 0o600); err != nil {
		t.Fatal(err)
	}
	mustTune(t, tuner, setting.All)
	mustRestore(t, tuner, false)
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("restored to %v, want %v", after, before)
	}
}

func TestJournalDamaged(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense\n":                       "tuning.jsonl:1: not an entry",
		`{"path":"../etc/shadow"}` + "\n":  `tuning.jsonl:1: path: "../etc/shadow"`,
		`{"path":"/proc/sys/vm/x"}` + "\n": "is not below the root folder",
		`{"setting":"smt","path":"sys/devices/system/cpu/smt/control","old":"on","new":"off"}` + "\n{}\n": "tuning.jsonl:2: path",
		`{"path":"a","old":1,"new":2}` + "\n": "tuning.jsonl:1: not an entry",
		`{"path":"etc/shadow"}` + "\n":        `there is no setting ""`,
		`{"path":"sys/../etc/shadow"}` + "\n": "is not below the root folder",
		`{"setting":"governor","path":"proc/sys/kernel/core_pattern","old":"|/tmp/x","new":"core"}` + "\n": `path: "proc/sys/kernel/core_pattern" is not where the setting governor is written`,
	} {
		tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
		if err := os.WriteFile(journalIn(tuner.Home).path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err1 := tuner.Tune(t.Context(), setting.All)
		_, err2 := tuner.Restore(true)
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want %q in it", text, err, want)
			}
		}
	}
}

func TestGone(t *testing.T) {
	const path = "proc/sys/vm/swappiness"
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	mustTune(t, tuner, setting.Quiet)
	if err := os.Remove(filepath.Join(tuner.Root, path)); err != nil {
		t.Fatal(err)
	}
	all, err := tuner.Restore(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := Incomplete(all); err == nil || err.Error() != "not restored: swappiness" {
		t.Errorf("error %v", err)
	}
	put(t, tuner.Root, path, "1")
	if got := mustRestore(t, tuner, false); len(got) != 1 || got[path] != Restored {
		t.Errorf("when it is back: %v", got)
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"setting":"turbo","path":"sys/x","old":"0","new":"1","boot":"b","time":"2026-01-01T00:00:00Z"}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parse("j", data)
		for _, file := range byFile(entries) {
			if err == nil && (!filepath.IsLocal(file.Path) || setting.Check(file.entries[0].Change) != nil || len(file.entries) == 0) {
				t.Errorf("%+v", file)
			}
		}
	})
}
