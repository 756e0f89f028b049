package subject

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Entry is what the journal has about a subject that runs: a file
// STATE/subjects/PID.json, there from its start to its end.
type Entry struct {
	Subject     string    `json:"subject"`
	PID         int       `json:"pid"`
	Start       uint64    `json:"start"`     // clock ticks since boot, /proc/PID/stat
	Group       int       `json:"group"`     // process group
	Boot        string    `json:"boot"`      // boot ID of the machine
	Namespace   string    `json:"namespace"` // of the PIDs
	Keeper      identity  `json:"keeper"`
	Owner       identity  `json:"owner"` // the dyno that wanted it
	Token       string    `json:"token"` // in the environment of the subject and its descendants
	Cgroup      string    `json:"cgroup,omitempty"`
	LimitGroups []string  `json:"fences,omitempty"` // folders of cgroups that only limit it
	Folder      string    `json:"folder,omitempty"` // that goes with it
	Log         string    `json:"log,omitempty"`    // that nobody wants when it has ended
	Began       time.Time `json:"began"`
}

// tokenVariable is the environment variable that marks all descendants of a
// subject, so that they are known even if their parents have died.
const tokenVariable = "DYNO_SUBJECT"

func journalDir(stateDir string) string { return filepath.Join(stateDir, "subjects") }

func (e Entry) file(stateDir string) string {
	return filepath.Join(journalDir(stateDir), strconv.Itoa(e.PID)+".json")
}

// write puts the entry into the journal, atomically. Without a state directory there is
// no journal.
func (e Entry) write(stateDir string) error {
	if stateDir == "" {
		return nil
	}
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return fmt.Errorf("note the subject in the journal: %w", err)
	}
	if err := os.MkdirAll(journalDir(stateDir), 0o755); err != nil {
		return fmt.Errorf("note the subject in the journal: %w", err)
	}
	temp := e.file(stateDir) + ".tmp"
	if err := errors.Join(os.WriteFile(temp, data, 0o644), os.Rename(temp, e.file(stateDir))); err != nil {
		return fmt.Errorf("note the subject in the journal: %w", err)
	}
	return nil
}

// remove takes the entry out of the journal. One that stays is found to match
// nothing by the next sweep.
func (e Entry) remove(stateDir string) {
	if stateDir != "" {
		_ = os.Remove(e.file(stateDir))
	}
}

// entryFiles lists the files of the journal; none if there is no journal. The
// folder's name is the user's and may hold anything, so it is no pattern.
func entryFiles(stateDir string) (files []string, err error) {
	all, err := os.ReadDir(journalDir(stateDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, f := range all {
		if filepath.Ext(f.Name()) == ".json" {
			files = append(files, filepath.Join(journalDir(stateDir), f.Name()))
		}
	}
	return files, nil
}

// readEntry reads one file of the journal.
func readEntry(file string) (Entry, error) {
	var e Entry
	data, err := os.ReadFile(file)
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("read %s: %w", file, err)
	}
	if e.PID <= 1 || e.Token == "" && e.Start == 0 {
		return e, fmt.Errorf("read %s: it names no process", file)
	}
	return e, nil
}
