package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sliced says that a trial was done in slices, in turns with those of its block.
type Sliced struct {
	Length time.Duration `json:"length"`           // of a slice's counted part, ns
	Settle time.Duration `json:"settle,omitempty"` // loaded before it and not counted, ns
	Rounds int           `json:"rounds"`           // planned
	Arms   int           `json:"arms"`             // that took turns at the beginning
	Cut    bool          `json:"cut,omitempty"`    // what counts is cut out of a load that goes on
	First  time.Duration `json:"first,omitempty"`  // of what counts, told apart, ns; 0: nothing is
	Void   int           `json:"void,omitempty"`   // slices in which the generator was stopped, and that are left out
}

// Slice is one turn of a sliced trial: one row of its slices.csv. Of a trial that is cut,
// see [Sliced], requests are under way at both of its ends; of another none is at either.
type Slice struct {
	Round    int           // from 0; the others of the block have theirs of the same number
	Start    int64         // CLOCK_MONOTONIC, ns
	Length   time.Duration // of what counts
	Requests uint64        // with the response that they were to have, within it
	Failed   uint64        // without
	CPU      time.Duration // that all processes of the subject used within it
	IdleCPU  time.Duration // that they used since the end of the slice before, without load …
	Idle     time.Duration // … and how long ago that was; 0 of the first
	Speed    time.Duration // that a fixed piece of work took on the subject's CPU: mean of before and after; 0 if it wasn't read

	// In its first part, see [Sliced], so many requests were over, however they ended …
	FirstRequests uint64
	FirstCPU      time.Duration // … for this CPU time; both 0 if that isn't known
}

// slicesHead begins the file: what it is with its version, and the names of the columns,
// of which times are in ns.
const slicesHead = "# dyno slices 2\nround,start,length,requests,failed,cpu,idle_cpu,idle,speed,first_requests,first_cpu\n"

// slicesHead1 is that of files from before slices had a first part.
const slicesHead1 = "# dyno slices 1\nround,start,length,requests,failed,cpu,idle_cpu,idle,speed\n"

// Bounds of what is read.
const (
	sliceColumns  = 11
	sliceColumns1 = 9 // of the version before
	mostSlices    = 1 << 20
)

func writeSlices(w io.Writer, list []Slice) error {
	out := bufio.NewWriter(w)
	out.WriteString(slicesHead)
	var line []byte
	for i := range list {
		s := &list[i]
		line = strconv.AppendInt(line[:0], int64(s.Round), 10)
		for _, n := range []int64{s.Start, int64(s.Length), int64(s.Requests), int64(s.Failed), int64(s.CPU), int64(s.IdleCPU), int64(s.Idle), int64(s.Speed), int64(s.FirstRequests), int64(s.FirstCPU)} {
			line = strconv.AppendInt(append(line, ','), n, 10)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// readSlicesFile reads the slices at path; there are none if it doesn't exist.
func readSlicesFile(path string) ([]Slice, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSlices(f, path)
}

// readSlices reads what [writeSlices] wrote. path is for errors, which are [*Damage].
func readSlices(r io.Reader, path string) ([]Slice, error) {
	head, columns := slicesHeads(slicesHead), sliceColumns
	seen := 0
	var list []Slice
	err := readLines(r, path, func(line []byte) error {
		if seen++; seen <= len(head) {
			if old := slicesHeads(slicesHead1); seen == 1 && string(line) == old[0] {
				head, columns = old, sliceColumns1
			}
			if want := head[seen-1]; string(line) != want {
				return fmt.Errorf("%.60q is not %q", line, want)
			}
			return nil
		}
		s, err := parseSlice(line, columns)
		if err != nil {
			return err
		}
		if n := len(list); n > 0 && (s.Round <= list[n-1].Round || s.Start < list[n-1].Start+int64(list[n-1].Length)) {
			return fmt.Errorf("the slice of round %d does not come after that of round %d", s.Round, list[n-1].Round)
		}
		if len(list) == mostSlices {
			return fmt.Errorf("more than %d slices", mostSlices)
		}
		list = append(list, s)
		return nil
	})
	if err == nil && seen < len(head) {
		err = &Damage{File: path, Err: errors.New("has no slices' head")}
	}
	return slices.Clip(list), err
}

// slicesHeads are the lines of a head.
func slicesHeads(head string) []string { return strings.Split(strings.TrimSuffix(head, "\n"), "\n") }

// parseSlice reads a row of so many columns, whose numbers are at least 0.
func parseSlice(line []byte, columns int) (s Slice, err error) {
	var n [sliceColumns]int64
	rest := line
	for i := range columns {
		field, after, more := bytes.Cut(rest, []byte(","))
		if more != (i < columns-1) {
			return s, fmt.Errorf("expected %d numbers", columns)
		}
		if n[i], err = strconv.ParseInt(string(field), 10, 64); err != nil || n[i] < 0 || len(field) > 1 && (field[0] == '0' || field[0] == '+') {
			return s, fmt.Errorf("%.40q is no number from 0 on", field)
		}
		rest = after
	}
	if n[0] > mostSlices || n[1] > math.MaxInt64/2 || n[2] > math.MaxInt64/2 {
		return s, errors.New("a number is too large")
	}
	return Slice{
		Round: int(n[0]), Start: n[1], Length: time.Duration(n[2]), Requests: uint64(n[3]), Failed: uint64(n[4]),
		CPU: time.Duration(n[5]), IdleCPU: time.Duration(n[6]), Idle: time.Duration(n[7]), Speed: time.Duration(n[8]),
		FirstRequests: uint64(n[9]), FirstCPU: time.Duration(n[10]),
	}, nil
}

// sliced: what the slices of a trial say together is what its windows say: as many
// responses, and as much CPU time.
func sliced(t *Trial) *Broken {
	if t.Sliced == nil {
		if len(t.Slices) > 0 {
			return &Broken{Law: lawSliced, Whole: true, Detail: "it was not sliced and has slices"}
		}
		return nil
	}
	var requests, responded uint64
	for i := range t.Slices {
		requests += t.Slices[i].Requests
	}
	for i := range t.Windows {
		responded += t.Windows[i].Client.Completed + t.Windows[i].Client.Drained
	}
	if t.Status == Complete && requests != responded {
		return &Broken{Law: lawSliced, Whole: true, Detail: fmt.Sprintf("its slices have %d responses, its windows %d", requests, responded)}
	}
	return nil
}

// slicedGrid: windows that are made of slices follow each other, each no longer than from
// its first slice to the next window.
func slicedGrid(t *Trial) *Broken {
	for i := range t.Windows {
		w := &t.Windows[i].Client
		switch {
		case w.Index != i || w.Length < 0:
			return &Broken{Law: lawGrid, Window: w.Index, Detail: fmt.Sprintf("it is number %d and %v long", i, w.Length)}
		case i > 0 && w.Start < t.Windows[i-1].Client.Start+int64(t.Windows[i-1].Client.Length):
			return &Broken{Law: lawGrid, Window: w.Index, Detail: "it begins before the one before has ended"}
		}
	}
	return nil
}
