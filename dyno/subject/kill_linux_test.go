package subject

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// victim starts such a process and returns it, once its subject responds, with
// the journal's entry.
func victim(t *testing.T, s StartSpec) (*exec.Cmd, Entry) {
	t.Helper()
	spec, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+string(spec))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var pid int
	if err := json.NewDecoder(out).Decode(&pid); err != nil {
		t.Fatal(err)
	}
	e, err := readEntry(Entry{PID: pid}.file(s.StateDir))
	if err != nil {
		t.Fatal(err)
	}
	return cmd, e
}

func kill9(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestDynoKilled(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	s := serverSpec(t, "parent", "-file", note)
	cmd, e := victim(t, s)
	child, subject := notedChild(t, note), identity{PID: e.PID, Start: e.Start}
	if !alive(subject) || !alive(child) || !alive(e.Keeper) {
		t.Fatal("subject, child or keeper does not run")
	}
	kill9(t, cmd.Process.Pid)
	eventually(t, "subject, child and keeper end", func() bool {
		return !alive(subject) && !alive(child) && !alive(e.Keeper)
	})
	if entries := journalFiles(t, s.StateDir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
}

func TestKeeperKilled(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	s := serverSpec(t, "parent", "-file", note)
	s.Env["KEEP_ENV"] = "1"
	in := startServer(t, s)
	child, subject := notedChild(t, note), in.identity(t)
	kill9(t, in.handle.cmd.Process.Pid)
	<-in.Done()
	if in.Err() == nil {
		t.Error("a subject whose keeper was killed has no error")
	}
	stopServer(t, in)
	if alive(subject) || alive(child) {
		t.Error("subject or child still runs")
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
}

func TestSweepAfterAllWereKilled(t *testing.T) {
	for _, cgroup := range []bool{true, false} {
		t.Run(fmt.Sprintf("cgroup %v", cgroup), func(t *testing.T) {
			note := filepath.Join(t.TempDir(), "pid")
			s := serverSpec(t, "parent", "-file", note)
			s.Log = ""   // one for as long as it runs
			if !cgroup { // the token in the environment must do
				s.Env["KEEP_ENV"] = "1"
			}
			cmd, e := victim(t, s)
			child := notedChild(t, note)
			if cgroup && e.Cgroup == "" {
				t.Skip("no cgroup can be made here")
			}
			// dyno must not see the keeper die, or it would clean up itself.
			if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			kill9(t, e.Keeper.PID)
			kill9(t, cmd.Process.Pid)
			_ = cmd.Wait()
			if !alive(child) {
				t.Fatal("the child does not run: nothing to sweep")
			}
			removeCgroup := func() {}
			if !cgroup {
				removeCgroup = openCgroup(e.Cgroup).remove
				e.Cgroup = ""
				if err := e.write(s.StateDir); err != nil {
					t.Fatal(err)
				}
			}
			ended, err := Sweep(t.Context(), s.StateDir)
			if err != nil {
				t.Fatal(err)
			}
			if alive(child) || alive(identity{PID: e.PID, Start: e.Start}) {
				t.Error("subject or child still runs")
			}
			if len(ended) != 1 || ended[0].Subject != "go/parent" || len(ended[0].PIDs) == 0 {
				t.Errorf("sweep reports %+v", ended)
			}
			if entries := journalFiles(t, s.StateDir); len(entries) != 0 {
				t.Errorf("journal still has %v", entries)
			}
			if _, err := os.Stat(e.Log); e.Log == "" || err == nil {
				t.Errorf("its log %q is left", e.Log)
			}
			removeCgroup()
		})
	}
}

func TestSweepLeavesLiveSubjects(t *testing.T) {
	s := serverSpec(t, "good")
	in := startServer(t, s)
	ended, err := Sweep(t.Context(), s.StateDir)
	if err != nil || len(ended) != 0 {
		t.Errorf("swept %v, error %v", ended, err)
	}
	if got := get(t, in.URL()+"/plaintext"); got != "200 Hello, World!" {
		t.Errorf("got %q", got)
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 1 {
		t.Errorf("journal has %v, want one entry", entries)
	}
}

func TestSweepEndsOnlyWhatMatches(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Entry)
		ended  bool
		kept   bool // the journal's entry
	}{
		{"all match", func(*Entry) {}, true, false},
		{"other start time", func(e *Entry) { e.Start++ }, false, false},
		{"other boot", func(e *Entry) { e.Boot = "another" }, false, false},
		{"other namespace", func(e *Entry) { e.Namespace = "another" }, false, true},
		{"token of another", func(e *Entry) { e.Start++; e.Token = newToken() }, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sleeper := exec.Command("sleep", "1000")
			if err := sleeper.Start(); err != nil {
				t.Fatal(err)
			}
			waited := make(chan struct{})
			go func() { _ = sleeper.Wait(); close(waited) }()
			t.Cleanup(func() { _ = sleeper.Process.Kill(); <-waited })
			start, err := startTime(sleeper.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			id := identity{PID: sleeper.Process.Pid, Start: start}
			e := Entry{Subject: "sleeper", PID: id.PID, Start: start, Boot: bootID(), Namespace: pidNamespace()}
			tt.change(&e)
			dir := t.TempDir()
			if err := e.write(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Sweep(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if alive(id) == tt.ended {
				t.Errorf("ended is %v, want %v", !alive(id), tt.ended)
			}
			if kept := len(journalFiles(t, dir)) == 1; kept != tt.kept {
				t.Errorf("entry kept is %v, want %v", kept, tt.kept)
			}
		})
	}
}

func TestSweepOfGarbage(t *testing.T) {
	dir := t.TempDir()
	if ended, err := Sweep(t.Context(), dir); err != nil || ended != nil {
		t.Errorf("without a journal: %v, %v", ended, err)
	}
	if err := os.MkdirAll(journalDir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"1.json": `{"pid":1,"start":1}`, "2.json": "{", "3.json": "{}"} {
		if err := os.WriteFile(filepath.Join(journalDir(dir), name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Sweep(t.Context(), dir); err == nil {
		t.Error("no error for a broken journal")
	}
	if entries := journalFiles(t, dir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
}

// A home folder whose name means something as a pattern is a folder all the same.
func TestSweepInAnOddFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	e := Entry{Subject: "gone", PID: 12345, Start: 1, Boot: "another"}
	if err := e.write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if entries := journalFiles(t, dir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
}

// What can't be ended stays in the journal, and the next sweep ends it.
func TestWhatCanNotBeEndedIsRemembered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as killing may")
	}
	t.Parallel()
	ice := filepath.Join("/sys/fs/cgroup/freezer", "dyno-test-"+newToken())
	if err := os.Mkdir(ice, 0o755); err != nil {
		t.Skipf("nothing can be frozen here: %v", err)
	}
	t.Cleanup(func() { eventually(t, "the cgroup is empty", func() bool { return os.Remove(ice) == nil }) })
	set := func(file, value string) {
		if err := os.WriteFile(filepath.Join(ice, file), []byte(value), 0o644); err != nil {
			t.Error(err)
		}
	}
	s := serverSpec(t, "good")
	s.Grace = time.Millisecond
	in, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	id := in.identity(t)
	set("cgroup.procs", strconv.Itoa(id.PID))
	set("freezer.state", "FROZEN")
	if err := in.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "can't be ended") {
		t.Errorf("stopping what is frozen: %v", err)
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 1 {
		t.Errorf("the journal has %v, want the subject that still runs", entries)
	}
	set("freezer.state", "THAWED")
	if _, err := Sweep(t.Context(), s.StateDir); err != nil {
		t.Error(err)
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 0 || alive(id) {
		t.Errorf("after the sweep: alive %t, journal %v", alive(id), entries)
	}
}

// TestLogOfADyingDyno: of a dyno that is killed the pipe is closed before it has ended, and while it
// is still the keeper's parent; the log that only it would read goes all the same.
func TestLogOfADyingDyno(t *testing.T) {
	s := serverSpec(t, "good")
	s.Log = ""
	in := startServer(t, s)
	log := in.log
	if _, err := os.Stat(log); err != nil {
		t.Fatal(err)
	}
	in.handle.control.Close()
	<-in.handle.gone
	if _, err := os.Stat(log); err == nil {
		t.Error("its log is left")
	}
}
