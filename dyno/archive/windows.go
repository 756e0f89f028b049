package archive

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
)

// Windows yields the windows of r.Trials[i] in order, with their histograms, which are
// the caller's to keep. They are read as they are yielded, so that no more than one
// window's histograms need be in memory. After an error, a [*Damage] for files that are
// not as written, or that break a law ([Broken]), nothing more is yielded.
func (r *Run) Windows(i int) iter.Seq2[Window, error] {
	trial := &r.Trials[i]
	if r.Dir == "" {
		return func(yield func(Window, error) bool) {
			for _, w := range trial.Windows {
				if !yield(w, nil) {
					return
				}
			}
		}
	}
	path := filepath.Join(trialFolder(r.Dir, trial.Index), histogramsFile)
	return func(yield func(Window, error) bool) {
		laws := newHistogramLaws(trial, &r.Manifest)
		err := readHistogramFile(path, trial.Windows, func(w Window) error {
			if b := laws.window(&w.Client); b != nil {
				return b
			}
			if !yield(w, nil) {
				return errEnough
			}
			return nil
		})
		if b := laws.finish(); err == nil && b != nil {
			err = b
		}
		if b := (*Broken)(nil); errors.As(err, &b) {
			err = &Damage{File: path, Err: b}
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(Window{}, err)
		}
	}
}

// errEnough ends reading when the reader of the windows wants no more.
var errEnough = errors.New("enough")

func readHistogramFile(path string, windows []Window, use func(Window) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return readHistograms(f, path, windows, use)
}

// writeWindows writes all but the histograms, one JSON object a line.
func writeWindows(w io.Writer, windows []Window) error {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for i := range windows {
		if err := encoder.Encode(&windows[i]); err != nil {
			return fmt.Errorf("window %d: %w", windows[i].Client.Index, err)
		}
	}
	return out.Flush()
}

// readWindows reads what [writeWindows] wrote. path is for errors.
func readWindows(r io.Reader, path string) ([]Window, error) {
	var windows []Window
	err := readLines(r, path, func(line []byte) error {
		var w Window
		if _, err := decodeStrictly(line, &w); err != nil {
			return err
		}
		if n := len(windows); n > 0 && w.Client.Index <= windows[n-1].Client.Index {
			return fmt.Errorf("window %d after window %d", w.Client.Index, windows[n-1].Client.Index)
		}
		if len(windows) == maxWindows {
			return fmt.Errorf("more than %d windows", maxWindows)
		}
		windows = append(windows, w)
		return nil
	})
	return slices.Clip(windows), err
}
