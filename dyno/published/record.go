// Package published reads the results that are published with the source, and
// draws the page of all claims from them and from the catalogue.
//
// A published result is a folder. What this package needs of it is one small file,
// verdicts.json; the others in it are for readers: manifest.json.gz, report.md and
// trials.csv.gz, which has what every verdict can be computed from again.
package published

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"dyno.example/dyno/claim"
	"dyno.example/internal/i18n"
)

// FileName is that of the record in a result's folder.
const FileName = "verdicts.json"

// Schema is the version of [Record] as JSON.
const Schema = 2

// Record is what a result says about claims, and under which conditions.
type Record struct {
	Schema   int             `json:"schema"`
	Study    string          `json:"study"`         // or the program that measured
	Run      string          `json:"run,omitempty"` // ID of the archived run
	Quick    bool            `json:"quick,omitempty"`
	Date     time.Time       `json:"date"`
	Machine  string          `json:"machine"`
	Versions []string        `json:"versions"`          // "dyno v1.2.3", "go/gin 1.12.0"
	Method   string          `json:"method"`            // how much was measured
	Command  string          `json:"command"`           // that repeats it
	Unclean  string          `json:"unclean,omitempty"` // why it is published though its dyno was not built from a clean commit
	Verdicts []claim.Outcome `json:"verdicts"`

	Dir string `json:"-"` // the folder's name
}

// Encode writes the record as it is published.
func (r *Record) Encode() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	r.Schema = Schema
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("the record of %s: %w", r.Study, err)
	}
	return out.Bytes(), nil
}

// ReadAll reads the records of all results in results, the best of each claim
// first: full runs before quick ones, then the newest. Folders without a record
// are results that decide no claim.
func ReadAll(results fs.FS) ([]Record, error) {
	files, err := fs.Glob(results, "*/"+FileName)
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, file := range files {
		r, err := read(results, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b Record) int {
		if a.Quick != b.Quick {
			return cmp.Compare(quickness(a), quickness(b))
		}
		return b.Date.Compare(a.Date)
	})
	return all, nil
}

func quickness(r Record) int {
	if r.Quick {
		return 1
	}
	return 0
}

func read(results fs.FS, file string) (Record, error) {
	data, err := fs.ReadFile(results, file)
	if err != nil {
		return Record{}, err
	}
	var r Record
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, err
	}
	if r.Schema == oldSchema {
		r.markOld()
	}
	r.Dir = path.Dir(file)
	return r, r.check()
}

func (r *Record) check() error {
	switch {
	case r.Schema != Schema && r.Schema != oldSchema:
		return fmt.Errorf("schema %d is not %d, the one this dyno reads", r.Schema, Schema)
	case r.Study == "" || r.Command == "" || r.Machine == "" || r.Date.IsZero():
		return fmt.Errorf("it must say study, command, machine and date")
	}
	for _, v := range r.Verdicts {
		if !slices.Contains(claim.Verdicts(), v.Verdict) && r.Schema == Schema {
			return fmt.Errorf("claim %s: %q is no verdict", v.ID, v.Verdict)
		}
	}
	return nil
}

// oldSchema is that of records with the verdicts of the rule before today's, of
// which "direction" and "refuted" are no more.
const oldSchema = 1

// oldRule stands next to the verdicts of such a record.
const oldRule = "by an older rule"

func (r *Record) markOld() {
	for i := range r.Verdicts {
		if r.Verdicts[i].Basis == nil {
			r.Verdicts[i].Basis = &claim.Basis{}
		}
		r.Verdicts[i].Basis.Rule = i18n.Verbatim(oldRule)
	}
}
