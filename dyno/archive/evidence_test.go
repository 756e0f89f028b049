package archive_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
)

// TestEvidenceIsReadBack: as it was written, sealed with the run; of a trial without there
// is none, and a file that was spoilt is a damage.
func TestEvidenceIsReadBack(t *testing.T) {
	made := short()
	made.Trials[0].Evidence = &archive.Evidence{
		Header:  &evidence.Header{Version: evidence.Version, Port: 80},
		Records: []evidence.Record{{Sequence: 1, Class: evidence.Tail, Done: 5, Intervals: []evidence.Interval{{Stage: evidence.OnCPU, To: 5}}}},
	}
	run := archived(t, made)
	header, records, err := run.Evidence(0)
	if err != nil || !reflect.DeepEqual(header, made.Trials[0].Evidence.Header) || !reflect.DeepEqual(records, made.Trials[0].Evidence.Records) {
		t.Errorf("%+v %+v %v", header, records, err)
	}
	store := archive.Store{Dir: filepath.Dir(run.Dir)}
	file := filepath.Join(run.Dir, "trials", "0000", "evidence.jsonl.gz")
	if err := os.WriteFile(file, []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run.Evidence(0); err == nil {
		t.Error("a spoilt file is read")
	}
	if v, err := store.Verify(filepath.Base(run.Dir)); err != nil || len(v.Damages) == 0 {
		t.Errorf("nobody finds the spoilt file: %+v %v", v, err)
	}
	if header, _, err := archived(t, short()).Evidence(0); header != nil || err != nil {
		t.Errorf("a trial without: %+v %v", header, err)
	}
}
