package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/hlog"
	"dyno.example/dyno/load/measure"
)

// writeHistograms writes the windows' histograms, all of them, as an interval
// log. Its times are since the first window's start.
func writeHistograms(w io.Writer, started time.Time, windows []Window) error {
	zero := int64(0)
	if len(windows) > 0 {
		zero = windows[0].Client.Start
	}
	return hlog.Write(w, started, zero, func(yield func(*measure.Window) bool) {
		for i := range windows {
			if !yield(&windows[i].Client) {
				return
			}
		}
	})
}

// readHistograms reads what [writeHistograms] wrote and hands each window, with
// its histograms, to use, one after the other. The windows have been read from
// the trial's other file and are left without histograms. path is for errors.
func readHistograms(r io.Reader, path string, windows []Window, use func(Window) error) error {
	h := &histogramReader{windows: windows, use: use, like: measure.NewHistogram()}
	if err := readLines(r, path, h.line); err != nil {
		return err
	}
	if h.seen < len(windows) {
		return &Damage{File: path, Err: fmt.Errorf("ends before window %d", windows[h.seen].Client.Index)}
	}
	return h.flush()
}

// histogramReader holds no more than one window's histograms.
type histogramReader struct {
	windows []Window
	seen    int // windows whose mark has been read
	current *Window
	use     func(Window) error
	like    *hdrhistogram.Histogram // of the resolution all must have
}

func (h *histogramReader) line(text []byte) error {
	switch {
	case bytes.HasPrefix(text, []byte(hlog.WindowMark)):
		return h.mark(string(text))
	case len(text) == 0, text[0] == '#', text[0] == '"':
		return nil
	case h.current == nil:
		return errors.New("histogram before any " + hlog.WindowMark + "N] line")
	}
	return h.histogram(string(text), &h.current.Client)
}

// mark begins a window; they come in the order of the other file.
func (h *histogramReader) mark(line string) error {
	text, ok := strings.CutSuffix(strings.TrimPrefix(line, hlog.WindowMark), "]")
	index, err := strconv.Atoi(text)
	if !ok || err != nil {
		return fmt.Errorf("%q is not %sN]", line, hlog.WindowMark)
	}
	if h.seen == len(h.windows) {
		return fmt.Errorf("window %d is not in %s", index, windowsFile)
	}
	w := h.windows[h.seen]
	if index != w.Client.Index {
		return fmt.Errorf("window %d where %s has window %d", index, windowsFile, w.Client.Index)
	}
	if err := h.flush(); err != nil {
		return err
	}
	h.seen++
	w.Client.Parts = slices.Clone(w.Client.Parts) // they get histograms
	h.current = &w
	return nil
}

func (h *histogramReader) flush() error {
	if h.current == nil {
		return nil
	}
	w := *h.current
	h.current = nil
	return h.use(w)
}

// histogram reads one line: Tag=clock,start,length,max,histogram.
func (h *histogramReader) histogram(line string, w *measure.Window) error {
	fields := strings.Split(line, ",")
	if len(fields) != 5 {
		return fmt.Errorf("%d fields instead of Tag=CLOCK,START,LENGTH,MAX,HISTOGRAM", len(fields))
	}
	tag, due, ofPart := strings.Cut(fields[0], hlog.Due)
	clock, givenUp, err := clockOfTag(tag)
	if err != nil {
		return err
	}
	if ofPart {
		if w = partOf(w, due); w == nil {
			return fmt.Errorf("%q is of no part of the window", fields[0])
		}
	}
	into := &w.Hist[clock]
	if givenUp {
		into = &w.Waited[clock]
	}
	if *into != nil {
		return fmt.Errorf("second histogram of %s for window %d", fields[0], w.Index)
	}
	read, err := hdrhistogram.Decode([]byte(fields[4]))
	if err != nil {
		return fmt.Errorf("histogram of %s: %w", clock, err)
	}
	if !sameResolution(read, h.like) {
		return fmt.Errorf("histogram of %s has another resolution than this version's", clock)
	}
	*into = read
	return nil
}

// partOf is the part of a window that is of the arrivals which were due in another; nil if
// there is none.
func partOf(w *measure.Window, due string) *measure.Window {
	index, err := strconv.Atoi(due)
	i := slices.IndexFunc(w.Parts, func(p measure.Window) bool { return p.Index == index })
	if err != nil || i < 0 {
		return nil
	}
	return &w.Parts[i]
}

// clockOfTag returns the clock that a histogram is of, and whether it is of
// requests that were given up.
func clockOfTag(field string) (clock measure.Clock, givenUp bool, err error) {
	tag, ok := strings.CutPrefix(field, "Tag=")
	tag, givenUp = strings.CutSuffix(tag, hlog.GivenUp)
	for clock := range measure.NumClocks {
		if ok && clock.String() == tag {
			return clock, givenUp, nil
		}
	}
	return 0, false, fmt.Errorf("%q is not the tag of a clock", field)
}

func sameResolution(a, b *hdrhistogram.Histogram) bool {
	return a.LowestTrackableValue() == b.LowestTrackableValue() &&
		a.HighestTrackableValue() <= b.HighestTrackableValue() &&
		a.SignificantFigures() == b.SignificantFigures()
}
