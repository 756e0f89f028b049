package profile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"dyno.example/internal/i18n"
)

// Limits of a trace.
const (
	maxTrace     = 10_000_000 // arrivals
	maxTraceLine = 64 << 10   // bytes
)

// TraceFile is a recorded sequence of arrivals. What is stored of it says which
// file it was, not the times themselves.
type TraceFile struct {
	File   string        `json:"file"`   // as it was named
	SHA256 string        `json:"sha256"` // of its bytes, in hexadecimal
	Count  int           `json:"count"`  // arrivals in it
	Length time.Duration `json:"length"` // ns; after that it begins again if it loops

	times []int64 // ns from the start, not decreasing; shared by copies, never written to
}

// OpenTrace reads a trace from the file at path and calls it name.
func OpenTrace(path, name string) (*TraceFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, i18n.Errorf("profile.reading-trace", "reading the trace: %w", err)
	}
	defer f.Close()
	return ReadTrace(f, name)
}

// ReadTrace reads a trace: one arrival a line, as seconds from the start ("1.5"),
// as a time with its unit ("1500ms", "1500000000ns"), or as an object with the
// seconds in its field "at" ({"at": 1.5}). Empty lines and those that start with
// # are skipped. Times must not decrease. Errors have the form name:line: why.
func ReadTrace(r io.Reader, name string) (*TraceFile, error) {
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, hash))
	lines.Buffer(nil, maxTraceLine)
	t := &TraceFile{File: name}
	number := 0
	for lines.Scan() {
		number++
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := t.add(text); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err == bufio.ErrTooLong {
		return nil, i18n.Errorf("profile.line-too-long", "%s:%d: the line is longer than %d bytes", name, number+1, maxTraceLine)
	} else if err != nil {
		return nil, i18n.Errorf("profile.reading-trace", "reading the trace: %w", err)
	}
	if len(t.times) == 0 {
		return nil, i18n.Errorf("profile.trace-empty", "%s: the trace holds no arrival; write one time a line, in seconds", name)
	}
	t.SHA256, t.Count, t.Length = hex.EncodeToString(hash.Sum(nil)), len(t.times), t.length()
	if t.Length > MaxLength {
		return nil, i18n.Errorf("profile.trace-too-long", "%s: the trace takes %v, longer than the %v that are allowed", name, t.Length, ShortDuration(MaxLength))
	}
	return t, nil
}

// add takes the next line.
func (t *TraceFile) add(line string) error {
	at, err := traceTime(line)
	switch n := len(t.times); {
	case err != nil:
		return err
	case at < 0 || at > int64(MaxLength):
		return i18n.Errorf("profile.time-out-of-range", "times must be from 0 to %v, not %v", ShortDuration(MaxLength), time.Duration(at))
	case n == maxTrace:
		return i18n.Errorf("profile.too-many-arrivals", "more than the %d arrivals that are allowed", maxTrace)
	case n > 0 && at < t.times[n-1]:
		return i18n.Errorf("profile.arrivals-unsorted", "%v is earlier than the arrival before, at %v: sort the lines by time", time.Duration(at), time.Duration(t.times[n-1]))
	}
	t.times = append(t.times, at)
	return nil
}

// traceTime reads one line's time in ns.
func traceTime(line string) (int64, error) {
	if line[0] == '{' {
		var record struct {
			At *float64 `json:"at"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			return 0, i18n.Errorf("profile.expected-json-object", "expected a JSON object: %w", err)
		}
		if record.At == nil {
			return 0, i18n.Errorf("profile.arrival-without-time", `the object has no field "at", the arrival's time in seconds`)
		}
		return nanoseconds(*record.At), nil
	}
	if d, err := time.ParseDuration(line); err == nil {
		return int64(d), nil
	}
	seconds, err := strconv.ParseFloat(line, 64)
	if err != nil || strings.Trim(line, "0123456789.eE+-") != "" {
		return 0, i18n.Errorf("profile.expected-arrival", `expected a time in seconds, such as 1.5, with a unit, such as 1500ms, or {"at": 1.5}; got %q`, cutText(line))
	}
	return nanoseconds(seconds), nil
}

// nanoseconds converts seconds; what is out of range stays so.
func nanoseconds(seconds float64) int64 {
	const limit = 2 * float64(MaxLength)
	return int64(min(max(math.Round(seconds*1e9), -limit), limit))
}

// length is the time of the last arrival and one mean gap more, so that a trace
// that loops keeps its rate over the seam; a second more if there is no gap.
func (t *TraceFile) length() time.Duration {
	n := len(t.times)
	first, last := t.times[0], t.times[n-1]
	if last == first {
		return time.Duration(last) + time.Second
	}
	return time.Duration(last + max((last-first)/int64(n-1), 1))
}

// before counts the arrivals earlier than at ns, in one pass of the trace.
func (t *TraceFile) before(at float64) int {
	return sort.Search(len(t.times), func(i int) bool { return float64(t.times[i]) >= at })
}

// busiest is the largest number of arrivals within one second.
func (t *TraceFile) busiest() float64 {
	most, first := 0, 0
	for i, at := range t.times {
		for t.times[first] <= at-int64(time.Second) {
			first++
		}
		most = max(most, i-first+1)
	}
	return float64(most)
}

// cutText shortens text for a message.
func cutText(text string) string {
	if len(text) <= 40 {
		return text
	}
	return strings.ToValidUTF8(text[:40], "") + "…"
}
