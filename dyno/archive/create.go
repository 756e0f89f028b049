package archive

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Create makes a folder for a run that starts now and writes its manifest, with
// Schema, ID, Status and, if it is zero, Started set. The ID is
// YYYYMMDD-HHMMSS-study-xxxx: the start in UTC, the study's name, and four
// random hexadecimal digits. Values of secrets are hidden, see [Redact].
func (s Store) Create(m Manifest) (*Writer, error) {
	if m.Started.IsZero() {
		m.Started = time.Now()
	}
	m.Schema, m.Status, m.Started = Schema, Running, m.Started.Round(0)
	secrets := Redact(&m)
	w := &Writer{manifest: m, secrets: secrets, create: createFile}
	if err := w.begin(s.Dir); err != nil {
		return nil, fmt.Errorf("creating a run in %s: %w%s", s.Dir, err, advice(err))
	}
	return w, nil
}

// begin makes the folder, takes its lock, and only then writes the manifest that
// makes it a run.
func (w *Writer) begin(store string) error {
	if err := os.MkdirAll(store, 0o755); err != nil {
		return err
	}
	if err := w.makeFolder(store); err != nil {
		return err
	}
	err := os.Mkdir(filepath.Join(w.dir, trialsFolder), 0o755)
	if err == nil {
		w.lock, err = lock(filepath.Join(w.dir, lockFile))
	}
	if err == nil {
		err = w.reserve()
	}
	if err == nil {
		err = w.writeManifest()
	}
	if err == nil {
		err = syncFolder(store)
	}
	if err != nil {
		w.release()
		os.RemoveAll(w.dir) // nothing in it yet
	}
	return err
}

// ownersOnly is the mode of a run's folder: a manifest and a report hold requests with their
// fields and bodies, of which only what is known to be secret is left out.
const ownersOnly = 0o700

func (w *Writer) makeFolder(store string) error {
	const attempts = 100
	var err error
	for range attempts {
		w.manifest.ID = newID(w.manifest.Started, w.manifest.Study)
		w.dir = filepath.Join(store, w.manifest.ID)
		if err = os.Mkdir(w.dir, ownersOnly); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return err
}

func newID(started time.Time, study string) string {
	random := make([]byte, 2)
	rand.Read(random) // never fails, by its documentation
	return started.UTC().Format("20060102-150405") + "-" + slug(study) + "-" + hex.EncodeToString(random)
}

// slug turns a study's name into what is safe in a file name on any system.
func slug(name string) string {
	const longest = 60
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	safe = strings.Trim(safe[:min(len(safe), longest)], "-")
	if safe == "" {
		return "run"
	}
	return safe
}

// reserve keeps the room that ending the run takes, so that a full disk can be
// written down as what ended it.
func (w *Writer) reserve() error {
	const perTrial, rest = 4 * 128, 16 << 10 // a line of sums for each file; the manifest, twice
	size := len(w.manifest.Plan.Trials)*perTrial + len(w.manifest.StudySource) + rest
	return w.create.write(w.reserved(), func(out io.Writer) error {
		_, err := out.Write(make([]byte, size))
		return err
	})
}

func (w *Writer) reserved() string { return filepath.Join(w.dir, hidden+"reserve") }
