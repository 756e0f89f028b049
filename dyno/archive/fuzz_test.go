package archive

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzReadWindows feeds the reader what a disk may hold. It must not fail in
// any other way than by an error, and what it accepts it must write and read
// again the same.
func FuzzReadWindows(f *testing.F) {
	var whole bytes.Buffer
	if err := writeWindows(&whole, newTrial(0).Windows); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()/2])
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n"))
	f.Add([]byte(`{"client":{"index":1e99}}` + "\n"))
	f.Add([]byte(`{"client":{"length":-1},"server":{"process":null}}` + "\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		windows, err := readWindows(bytes.NewReader(content), "windows.jsonl")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "windows.jsonl:") {
				t.Errorf("error without file and line: %v", err)
			}
			return
		}
		var first, second bytes.Buffer
		if err := writeWindows(&first, windows); err != nil {
			t.Fatal(err)
		}
		again, err := readWindows(bytes.NewReader(first.Bytes()), "windows.jsonl")
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		if err := writeWindows(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%v: written %q, then %q", err, first.Bytes(), second.Bytes())
		}
	})
}

// FuzzReadHistograms does the same with the interval log of a trial with two
// windows.
func FuzzReadHistograms(f *testing.F) {
	trial := newTrial(0)
	windows := trial.Windows[:2]
	var whole bytes.Buffer
	if err := writeHistograms(&whole, trial.Started, windows); err != nil {
		f.Fatal(err)
	}
	bare := make([]Window, len(windows))
	for i := range bare {
		bare[i].Client.Index = windows[i].Client.Index
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()/2])
	f.Add([]byte("#[Window: -1]\n#[Window: 0]\n"))
	f.Add([]byte("#[Window: -1]\nTag=lag,0,0,0,HISTFAAAAB542pNpmSzMwMDAxQABzFCaEUoz2X+AMJgAOAUCEA==\n#[Window: 0]\n"))
	f.Add([]byte("#[Window: 99999999999999999999]\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		seen := 0
		err := readHistograms(bytes.NewReader(content), "histograms.hlog", bare, func(w Window) error {
			if w.Client.Index != bare[seen].Client.Index {
				t.Errorf("window %d in place %d", w.Client.Index, seen)
			}
			for _, h := range w.Client.Hist {
				if h != nil && h.TotalCount() < 0 {
					t.Errorf("%d requests", h.TotalCount())
				}
			}
			seen++
			return nil
		})
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "histograms.hlog:"):
			t.Errorf("error without the file: %v", err)
		case err == nil && seen != len(bare):
			t.Errorf("%d windows and no error, want %d", seen, len(bare))
		}
	})
}

// FuzzReadSlices does the same with the rows of a sliced trial.
func FuzzReadSlices(f *testing.F) {
	var whole bytes.Buffer
	if err := writeSlices(&whole, someSlices()); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()-3])
	f.Add([]byte(slicesHead))
	f.Add([]byte(slicesHead + "0,9223372036854775807,1,1,0,1,0,0,0\n"))
	f.Add([]byte(slicesHead + "0,+1,1,1,0,1,0,0,0\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		list, err := readSlices(bytes.NewReader(content), "slices.csv")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "slices.csv:") {
				t.Errorf("error without file: %v", err)
			}
			return
		}
		var again bytes.Buffer
		if err := writeSlices(&again, list); err != nil {
			t.Fatal(err)
		}
		if got, want := again.Bytes(), content; !bytes.Equal(got, want) && !bytes.Equal(got, append(want, '\n')) {
			t.Errorf("read %q, written %q", want, got)
		}
	})
}
