package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/machine/setting"
)

func TestMachine(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "machine")
	o.want(t, 0, o.stdout, "Processor", "Local ports", "Clock source", "settings:")
	o = dyno(t, home, "machine", "--json")
	o.want(t, 0, o.stdout)
	var r struct {
		Machine  machine.Fingerprint `json:"machine"`
		Settings []setting.Row       `json:"settings"`
		Busy     *busy.Survey        `json:"busy"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || len(r.Settings) < 20 || r.Machine.CPUs < 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if runtime.GOOS == "linux" && (r.Busy == nil || len(r.Busy.CPUs) == 0) {
		t.Errorf("who is busy: %+v", r.Busy)
	}
	// That tuning changes nothing when it is not to: the real thing is tested in
	// a namespace of its own.
	o = dyno(t, home, "machine", "tune", "--dry-run", "--profile", "all")
	o.want(t, 0, o.stdout)
	if _, err := os.Stat(filepath.Join(home, "tuning.jsonl")); !os.IsNotExist(err) {
		t.Errorf("a dry run has a journal: %v", err)
	}
	o = dyno(t, home, "machine", "restore")
	o.want(t, 0, o.stdout, "nothing to restore")
	o = dyno(t, home, "machine", "tune", "--profile", "loud")
	o.want(t, 2, o.stderr, `no profile "loud"`, "quiet, network and all")
	if err := os.WriteFile(filepath.Join(home, "tuning.jsonl"), []byte("?\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o = dyno(t, home, "machine", "restore")
	o.want(t, 1, o.stderr, "tuning.jsonl:1: not an entry")
}
