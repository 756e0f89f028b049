package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"dyno.example/dyno/machine/setting"
)

// entry is one line of the journal: a change that was about to be made. It is on
// the disk before the change is.
type entry struct {
	setting.Change
	Boot string    `json:"boot"` // ID of the boot in which it was made
	Time time.Time `json:"time"`
	// Assigned says that it was made for a time only, by [Tuner.Assign].
	Assigned bool `json:"assigned,omitempty"`
}

// journal is the file HOME/tuning.jsonl. It is there from the first change until
// everything is restored.
type journal struct{ path string }

func journalIn(home string) journal { return journal{filepath.Join(home, "tuning.jsonl")} }

// append adds an entry and returns when it would outlive a power failure.
func (j journal) append(e entry) error {
	if err := setting.Check(e.Change); err != nil {
		return fmt.Errorf("noting the old value of %s: %w", e.Setting, err) // it couldn't be read again
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = os.Lstat(j.path)
	isNew := errors.Is(err, os.ErrNotExist)
	f, err := openOwned(j.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("noting the old value of %s: %w", e.Setting, err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil && isNew {
		err = syncFolder(filepath.Dir(j.path))
	}
	if err != nil {
		return fmt.Errorf("noting the old value of %s: %w", e.Setting, err)
	}
	return nil
}

// read returns the entries in order; none if there is no journal. A last line
// that is cut off is that of a change which was never made.
func (j journal) read() ([]entry, error) {
	data, err := j.text()
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of settings: %w", err)
	}
	return parse(j.path, data)
}

func (j journal) text() ([]byte, error) {
	f, err := openOwned(j.path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func parse(name string, data []byte) ([]entry, error) {
	var all []entry
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return all, nil
		}
		data = rest
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s:%d: not an entry of the journal of settings: %w", name, n, err)
		}
		if err := setting.Check(e.Change); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		all = append(all, e)
	}
}

// trim makes what can be appended to of a journal whose last line is cut off.
func (j journal) trim() error {
	f, err := openOwned(j.path, os.O_RDWR)
	if err != nil {
		return nil // nothing there; appending will report what is wrong with it
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil || len(data) == 0 || data[len(data)-1] == '\n' {
		return nil // nothing to trim
	}
	return f.Truncate(int64(bytes.LastIndexByte(data, '\n') + 1))
}

// replace makes entries the whole journal; none removes it.
func (j journal) replace(entries []entry) error {
	if len(entries) == 0 {
		if err := os.Remove(j.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return syncFolder(filepath.Dir(j.path))
	}
	next := journal{j.path + ".new"}
	if err := os.Remove(next.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if err := next.append(e); err != nil {
			return err
		}
	}
	if err := os.Rename(next.path, j.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(j.path))
}

// syncFolder makes what was created or removed in a folder outlive a power
// failure, where the file system can; some can't sync folders at all.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
