// Package hlog writes the histograms of windows as an HdrHistogram interval log
// (format 1.3, V2 compressed encoding), which HistogramLogProcessor and the
// other tools of HdrHistogram read.
package hlog

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/load/measure"
)

// WindowMark begins the comment that says which window the lines after it
// belong to; its index and a closing bracket follow. Other readers of interval
// logs skip comments.
const WindowMark = "#[Window: "

// GivenUp ends the tag of the histograms that hold how long requests had taken when
// they were given up ([measure.Window.Waited]); the clock goes before it.
const GivenUp = "_given_up"

// Due, before the index of another window, ends the tags of what the window has of arrivals
// that were due in that one, which is in its other histograms too.
const Due = "_due_"

// Write writes one line for each window and clock, tagged with the clock, and one
// more for those on which requests were given up. Times
// are seconds since the instant zero of CLOCK_MONOTONIC, in ns, which is started
// on the wall clock; maxima are milliseconds, values in the histograms
// nanoseconds. A clock without a histogram has no line.
func Write(w io.Writer, started time.Time, zero int64, windows iter.Seq[*measure.Window]) error {
	_, err := fmt.Fprintf(w, "#[Histogram log format version %s]\n#[StartTime: %.3f (seconds since epoch), %s]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		hdrhistogram.HISTOGRAM_LOG_FORMAT_VERSION, float64(started.UnixMilli())/1e3, started.UTC().Format(time.RFC3339))
	if err != nil {
		return err
	}
	for window := range windows {
		if _, err := fmt.Fprintf(w, "%s%d]\n", WindowMark, window.Index); err != nil {
			return err
		}
		since := time.Duration(window.Start - zero)
		if err := writeClocks(w, window, "", since, window.Length); err != nil {
			return fmt.Errorf("window %d: %w", window.Index, err)
		}
		for i := range window.Parts {
			part := &window.Parts[i]
			if err := writeClocks(w, part, Due+strconv.Itoa(part.Index), since, window.Length); err != nil {
				return fmt.Errorf("window %d: %w", window.Index, err)
			}
		}
	}
	return nil
}

// writeClocks writes a line for each histogram; suffix ends their tags.
func writeClocks(w io.Writer, window *measure.Window, suffix string, since, length time.Duration) error {
	for clock, h := range window.Hist {
		name := measure.Clock(clock).String()
		for _, one := range []struct {
			tag string
			*hdrhistogram.Histogram
		}{{name + suffix, h}, {name + GivenUp + suffix, window.Waited[clock]}} {
			if err := writeLine(w, one.tag, one.Histogram, since, length); err != nil {
				return fmt.Errorf("histogram of %s: %w", one.tag, err)
			}
		}
	}
	return nil
}

func writeLine(w io.Writer, tag string, h *hdrhistogram.Histogram, since, length time.Duration) error {
	if h == nil {
		return nil
	}
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Tag=%s,%.6f,%.6f,%.6f,%s\n",
		tag, since.Seconds(), length.Seconds(), float64(h.Max())/1e6, encoded)
	return err
}
