package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"dyno.example/dyno/evidence"
)

// Evidence is what was collected of a trial's requests.
type Evidence struct {
	Header  *evidence.Header
	Records []evidence.Record
}

// Evidence reads what was collected of the requests of r.Trials[i]. The header is nil if
// nothing was. An error is a [*Damage] if the file is not as written.
func (r *Run) Evidence(i int) (*evidence.Header, []evidence.Record, error) {
	t := &r.Trials[i]
	if r.Dir == "" {
		if t.Evidence == nil {
			return nil, nil, nil
		}
		return t.Evidence.Header, t.Evidence.Records, nil
	}
	path := filepath.Join(trialFolder(r.Dir, t.Index), evidenceFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	h, records, err := evidence.Read(f)
	if err != nil {
		return nil, nil, &Damage{File: path, Err: err}
	}
	return h, records, nil
}
