package published

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dyno.example/dyno/archive"
)

// RegisterName is that of the register of attempts, in the folder of all results.
const RegisterName = "attempts.jsonl"

// Attempt is a run of a study that was published at least once: who tries often
// enough gets any verdict once, so all that are known are counted.
type Attempt struct {
	Study     string         `json:"study"`
	Run       string         `json:"run"`
	Date      time.Time      `json:"date"`
	Quick     bool           `json:"quick,omitempty"`
	Status    archive.Status `json:"status"`
	Dyno      string         `json:"dyno,omitempty"`
	Published bool           `json:"published"`
	Note      string         `json:"note,omitempty"` // where it is known from, if not from its archived run
}

// AttemptOf is that of a run.
func AttemptOf(m *archive.Manifest, published bool) Attempt {
	return Attempt{Study: m.Study, Run: m.ID, Date: m.Started, Quick: m.Quick, Status: m.Status, Dyno: m.Dyno, Published: published}
}

// Register appends the attempts that the register in the folder does not have yet.
// One that was there and is published now is appended once more: lines are never
// changed.
func Register(folder string, attempts []Attempt) error {
	type key struct {
		run       string
		published bool
	}
	known := map[key]bool{}
	old, err := Attempts(folder)
	if err != nil {
		return err
	}
	for _, a := range old {
		known[key{a.Run, a.Published}] = true
		known[key{a.Run, false}] = true
	}
	file, err := os.OpenFile(filepath.Join(folder, RegisterName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, a := range attempts {
		if known[key{a.Run, a.Published}] {
			continue
		}
		if err := lines.Encode(a); err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
	}
	return file.Close()
}

// tries is how many runs of a study are known, and how many of them were published.
type tries struct{ known, published int }

// triesOf counts the runs of each study, each once however many lines it has.
func triesOf(list []Attempt) map[string]tries {
	kept := map[Attempt]bool{} // of study and run
	for _, a := range list {
		run := Attempt{Study: a.Study, Run: a.Run}
		kept[run] = kept[run] || a.Published
	}
	counts := map[string]tries{}
	for run, published := range kept {
		n := counts[run.Study]
		n.known++
		if published {
			n.published++
		}
		counts[run.Study] = n
	}
	return counts
}

// Attempts reads the register in the folder; there are none without a file.
func Attempts(folder string) (list []Attempt, err error) {
	name := filepath.Join(folder, RegisterName)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var a Attempt
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, a)
	}
	return list, lines.Err()
}
