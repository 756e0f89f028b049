package tune

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/machine/setting"
)

// assigned are settings of the recorded laptop with values it has not.
var assigned = map[string]string{"vm.swappiness": "7", "transparent_hugepages": "never", "net.core.somaxconn": "123"}

func assignAndUndo(t *Tuner, wanted map[string]string) error {
	a, err := t.Assign(wanted)
	if err != nil {
		return err
	}
	return a.Undo()
}

func TestAssignAndUndo(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	a, err := tuner.Assign(assigned)
	if err != nil {
		t.Fatal(err)
	}
	now := values(t, tuner.Root)
	for path, want := range map[string]string{
		"proc/sys/vm/swappiness": "7", "sys/kernel/mm/transparent_hugepage/enabled": "never", "proc/sys/net/core/somaxconn": "123",
	} {
		if now[path] != want {
			t.Errorf("%s is %q, want %q", path, now[path], want)
		}
	}
	if pending, err := tuner.Pending(); len(pending) != 3 || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
	if err := errors.Join(a.Undo(), a.Undo()); err != nil {
		t.Error(err)
	}
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("undone to %v, want %v", after, before)
	}
	if _, err := os.Stat(journalIn(tuner.Home).path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
	again, err := tuner.Assign(map[string]string{"vm.swappiness": before["proc/sys/vm/swappiness"]})
	if err != nil || len(again.entries) != 0 {
		t.Errorf("a value that is there already: %+v, %v", again, err)
	}
	if err := (*Assignment)(nil).Undo(); err != nil {
		t.Error(err)
	}
}

// TestAssignKeepsWhatIsTuned: undoing goes back to the tuned values, restoring
// to those before.
func TestAssignKeepsWhatIsTuned(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	before := values(t, tuner.Root)
	mustTune(t, tuner, setting.All)
	tuned := values(t, tuner.Root)
	if err := assignAndUndo(tuner, assigned); err != nil {
		t.Fatal(err)
	}
	if after := values(t, tuner.Root); !maps.Equal(after, tuned) {
		t.Errorf("undone to %v, want %v", after, tuned)
	}
	mustRestore(t, tuner, false)
	if after := values(t, tuner.Root); !maps.Equal(after, before) {
		t.Errorf("restored to %v, want %v", after, before)
	}
}

// TestKilledWhileAssigned kills assigning and undoing after each step.
func TestKilledWhileAssigned(t *testing.T) {
	for steps := 1; ; steps++ {
		root, home := laptop(t), t.TempDir()
		before := values(t, root)
		killed := victim{Root: root, Home: home, Assign: assigned, Steps: steps}.run(t)
		mustRestore(t, &Tuner{Root: root, Home: home}, false)
		if after := values(t, root); !maps.Equal(after, before) {
			t.Fatalf("killed after step %d: restored to %v, want %v", steps, after, before)
		}
		if !killed {
			if steps != 10 {
				t.Errorf("assigning and undoing has %d steps, want 9", steps-1)
			}
			return
		}
	}
}

// TestPutBackAfterAKill kills assigning after each step: the next run has the
// settings as they were, tuned ones included.
func TestPutBackAfterAKill(t *testing.T) {
	for steps := 1; ; steps++ {
		root, home := laptop(t), t.TempDir()
		tuner := &Tuner{Root: root, Home: home}
		before := values(t, root)
		mustTune(t, tuner, setting.Network)
		tuned := values(t, root)
		killed := victim{Root: root, Home: home, Assign: assigned, Steps: steps}.run(t)
		if err := tuner.PutBack(); err != nil {
			t.Fatal(err)
		}
		if after := values(t, root); !maps.Equal(after, tuned) {
			t.Fatalf("killed after step %d: put back to %v, want %v", steps, after, tuned)
		}
		mustRestore(t, tuner, false)
		if after := values(t, root); !maps.Equal(after, before) {
			t.Fatalf("killed after step %d: restored to %v, want %v", steps, after, before)
		}
		if !killed {
			return
		}
	}
}

func TestPutBackLeavesWhatOthersSet(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: filepath.Join(t.TempDir(), "not yet")}
	if err := tuner.PutBack(); err != nil {
		t.Errorf("without a journal: %v", err)
	}
	if _, err := os.Stat(tuner.Home); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made for nothing")
	}
	if _, err := tuner.Assign(assigned); err != nil { // and never undone
		t.Fatal(err)
	}
	put(t, tuner.Root, "proc/sys/vm/swappiness", "33")
	if err := tuner.PutBack(); err != nil {
		t.Error(err)
	}
	if now := values(t, tuner.Root)["proc/sys/vm/swappiness"]; now != "33" {
		t.Errorf("somebody else's value became %s", now)
	}
	if pending, err := tuner.Pending(); len(pending) != 1 || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
}

func TestUndoLeavesWhatOthersSet(t *testing.T) {
	tuner := &Tuner{Root: laptop(t), Home: t.TempDir()}
	a, err := tuner.Assign(assigned)
	if err != nil {
		t.Fatal(err)
	}
	put(t, tuner.Root, "proc/sys/vm/swappiness", "33")
	if err := a.Undo(); err == nil || !strings.Contains(err.Error(), "vm.swappiness was not put back") || !strings.Contains(err.Error(), "it is 33") {
		t.Errorf("undone: %v", err)
	}
	if pending, err := tuner.Pending(); len(pending) != 1 || err != nil {
		t.Errorf("pending: %v, %v", pending, err)
	}
}

func TestAssignRefuses(t *testing.T) {
	root := laptop(t)
	before := values(t, root)
	for name, want := range map[string]string{
		"net.ipv4.no_such":        "net.ipv4.no_such: this machine has no such setting",
		"swapiness":               `did you mean "swappiness"?`,
		"idle_states":             "there is no setting \"idle_states\" that can be given a value",
		"sys.kernel.x":            "sys.kernel.x is not the name of a sysctl",
		"kernel...etc.passwd":     "is not the name of a sysctl",
		"vm.swappiness.something": "this machine has no such setting",
	} {
		tuner := &Tuner{Root: root, Home: t.TempDir()}
		_, err := tuner.Assign(map[string]string{"transparent_hugepages": "never", name: "1"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if after := values(t, root); !maps.Equal(after, before) {
		t.Errorf("refusing changed something: %v", after)
	}
}

// TestAssignTakesBackWhatItSet: where one of several can't be set, none is.
func TestAssignTakesBackWhatItSet(t *testing.T) {
	root := laptop(t)
	before := values(t, root)
	tuner := &Tuner{Root: root, Home: t.TempDir()}
	file := filepath.Join(root, "proc/sys/vm/swappiness")
	tuner.step = func(name string) { // vm comes last: its file is gone by then
		if strings.HasPrefix(name, "set sys/kernel") {
			if err := os.Rename(file, file+".away"); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := tuner.Assign(assigned)
	if err == nil || !strings.Contains(err.Error(), "vm.swappiness can't be set to 7") {
		t.Errorf("got %v", err)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	if after := values(t, root); !maps.Equal(after, before) {
		t.Errorf("left %v, want %v", after, before)
	}
}
