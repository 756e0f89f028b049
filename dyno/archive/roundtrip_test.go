package archive_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine/speed"
)

// short is a run of a single trial.
func short() *archive.Run {
	run := analysistest.Run(3, "a")
	run.Trials = run.Trials[:1]
	return run
}

// archived writes a run made up in memory and reads it back.
func archived(t *testing.T, run *archive.Run) *archive.Run {
	t.Helper()
	store := archive.Store{Dir: filepath.Join(t.TempDir(), "runs")}
	run.Manifest.Plan.Trials = run.Manifest.Plan.Trials[:len(run.Trials)] // all that a complete run has
	w, err := store.Create(run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if err := os.WriteFile(w.SubjectLog(trial.Index), []byte("listening\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.AddTrial(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(archive.Complete, nil); err != nil {
		t.Fatal(err)
	}
	back, err := store.Open(archive.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	run := analysistest.Run(3, "a", "b")
	run.Trials = run.Trials[:3]
	readings := []speed.Reading{{CPU: 1, Chain: 1.8375, Wide: 11.0201}}
	run.Trials[1].Speed = &archive.Speed{Before: readings, Missing: "CPU 1 went offline"}
	back := archived(t, run)

	m := back.Manifest
	if m.Finished.Before(m.Started) {
		t.Errorf("finished %v, started %v", m.Finished, m.Started)
	}
	if m.Usable == nil || *m.Usable != 3 {
		t.Errorf("%v trials are said to be usable, want 3", m.Usable)
	}
	m.ID, m.Finished, m.Usable = run.Manifest.ID, run.Manifest.Finished, nil
	if !reflect.DeepEqual(m, run.Manifest) {
		t.Errorf("manifest:\n got %+v\nwant %+v", m, run.Manifest)
	}
	if len(back.Trials) != len(run.Trials) {
		t.Fatalf("%d trials, want %d", len(back.Trials), len(run.Trials))
	}
	for i := range run.Trials {
		sameTrial(t, back, run, i)
	}
	log, err := os.ReadFile(filepath.Join(back.Dir, "trials", "0001", "subject.log"))
	if err != nil || string(log) != "listening\n" {
		t.Errorf("log %q, %v", log, err)
	}
}

// sameTrial compares a trial read back with the one written.
func sameTrial(t *testing.T, back, run *archive.Run, i int) {
	t.Helper()
	got, want := back.Trials[i], run.Trials[i]
	n := 0
	for w, err := range back.Windows(i) {
		if err != nil {
			t.Fatal(err)
		}
		sameHistograms(t, &w.Client, &want.Windows[n].Client)
		n++
	}
	if n != len(want.Windows) {
		t.Errorf("trial %d: %d windows, want %d", i, n, len(want.Windows))
	}
	want.Windows = nil
	for _, w := range run.Trials[i].Windows {
		w.Client.Hist = [measure.NumClocks]*hdrhistogram.Histogram{}
		want.Windows = append(want.Windows, w)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("trial %d:\n got %+v\nwant %+v", i, got, want)
	}
}

func sameHistograms(t *testing.T, got, want *measure.Window) {
	t.Helper()
	for clock := range measure.NumClocks {
		g, w := got.Hist[clock], want.Hist[clock]
		switch {
		case (g == nil) != (w == nil):
			t.Errorf("window %d: histogram of %s is %v, want %v", got.Index, clock, g, w)
		case g != nil && !g.Equals(w):
			t.Errorf("window %d: histogram of %s differs", got.Index, clock)
		}
	}
}

func TestWindowsOfARunInMemory(t *testing.T) {
	run := short()
	n := 0
	for w, err := range run.Windows(0) {
		if err != nil || w.Client.Hist[measure.Response] == nil {
			t.Fatalf("window %d: %v", n, err)
		}
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d windows before the break, want 2", n)
	}
}

func TestReadingWindowsCanStop(t *testing.T) {
	back := archived(t, short())
	for w, err := range back.Windows(0) {
		if err != nil || w.Client.Index != -1 {
			t.Fatalf("first window is %d: %v", w.Client.Index, err)
		}
		break
	}
}

// Other programs read the histograms with HdrHistogram's own reader.
func TestStandardToolsReadTheHistograms(t *testing.T) {
	run := short()
	back := archived(t, run)
	f, err := os.Open(filepath.Join(back.Dir, "trials", "0000", "histograms.hlog"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := hdrhistogram.NewHistogramLogReader(f)
	for i, w := range run.Trials[0].Windows {
		for clock, want := range w.Client.Hist {
			if want == nil {
				continue // such as TLS handshakes of a load without TLS
			}
			got, err := reader.NextIntervalHistogram()
			if err != nil || got == nil {
				t.Fatalf("window %d: %v, %v", i, got, err)
			}
			if got.Tag() != measure.Clock(clock).String() || !got.Equals(want) {
				t.Errorf("window %d: histogram tagged %q differs from that of %s", i, got.Tag(), measure.Clock(clock))
			}
			began := run.Trials[0].Started.UnixMilli() + int64(i)*1000
			if got.StartTimeMs() != began || got.EndTimeMs() != began+1000 {
				t.Errorf("window %d: from %d to %d ms, want from %d", i, got.StartTimeMs(), got.EndTimeMs(), began)
			}
		}
	}
	if extra, err := reader.NextIntervalHistogram(); extra != nil || err != nil {
		t.Errorf("after the last: %v, %v", extra, err)
	}
}

func TestSaveAnalysis(t *testing.T) {
	run := short()
	if run.SaveAnalysis(nil) == nil {
		t.Error("saved the analysis of a run in memory")
	}
	back := archived(t, run)
	if err := back.SaveAnalysis([]byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	store := archive.Store{Dir: filepath.Dir(back.Dir)}
	if v, err := store.Verify(archive.Latest); err != nil || len(v.Damages) > 0 {
		t.Errorf("an analysis breaks the run: %v, %v", v, err)
	}
}

// TestPartsAreReadBack: what a window has of arrivals of another one keeps its counts and
// its histograms.
func TestPartsAreReadBack(t *testing.T) {
	run := short()
	w := &run.Trials[0].Windows[1].Client
	part := measure.Window{Index: -1, Completed: 2, Drained: 1}
	part.Hist[measure.Response], part.Waited[measure.Lag] = measure.NewHistogram(), measure.NewHistogram()
	part.Hist[measure.Response].RecordValues(3e6, 2)
	part.Waited[measure.Lag].RecordValue(5e6)
	w.Parts = []measure.Window{{Index: -2, Shed: 1}, part}
	back := archived(t, run)
	var got []measure.Window
	for one, err := range back.Windows(0) {
		if err != nil {
			t.Fatal(err)
		}
		if one.Client.Index == w.Index {
			got = one.Client.Parts
		}
	}
	if len(got) != 2 || got[0].Shed != 1 || got[1].Index != -1 || got[1].Completed != 2 || got[1].Timed(measure.Response) != 2 || got[1].Waited[measure.Lag].Max() < 5e6 {
		t.Errorf("%+v", got)
	}
}
