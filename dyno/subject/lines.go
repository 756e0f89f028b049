package subject

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	lastLines  = 30       // shown of a failed build's or subject's output
	lineLength = 4 << 10  // bytes of a line that are kept
	tailToRead = 64 << 10 // bytes of a file's end that are read for its last lines
)

// escapes are control sequences of terminals (ECMA-48, 5.4), such as colours.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]")

// lineWriter splits what is written to it into lines, hands each on without the colours of
// a terminal, and keeps the last ones. It is written to by one goroutine at a time.
type lineWriter struct {
	each    func(line string) // may be nil
	copy    io.Writer         // gets all bytes; may be nil
	keep    int               // how many of the last lines to keep
	last    []string
	partial []byte
}

// Write never fails, so that a full disk does not break a build.
func (w *lineWriter) Write(p []byte) (int, error) {
	if w.copy != nil {
		_, _ = w.copy.Write(p) // the log is a convenience; the lines are kept anyway
	}
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := lineLength - len(w.partial); room > 0 {
			w.partial = append(w.partial, line[:min(len(line), room)]...)
		}
		if whole {
			w.line()
		}
		rest = after
	}
	return len(p), nil
}

// flush hands on a last line that had no end.
func (w *lineWriter) flush() {
	if len(w.partial) > 0 {
		w.line()
	}
}

func (w *lineWriter) line() {
	line := strings.TrimRight(string(w.partial), "\r")
	w.partial = w.partial[:0]
	if bare := escapes.ReplaceAllString(line, ""); bare != line {
		if line = bare; bare == "" {
			return // Maven ends with a line of them, also without colours
		}
	}
	if len(w.last) == w.keep {
		w.last = w.last[1:]
	}
	w.last = append(w.last, line)
	if w.each != nil {
		w.each(line)
	}
}

// Log returns what the instance has printed so far: of more than most bytes the beginning and the
// end, with a line between them that says so.
func (in *Instance) Log(most int) ([]byte, error) {
	f, err := os.Open(in.log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return HeadAndTail(f, info.Size(), most)
}

// HeadAndTail reads what has size bytes, of more than most only its beginning and its end, with a
// line between them that says how much is left out.
func HeadAndTail(r io.ReaderAt, size int64, most int) ([]byte, error) {
	half := int64(most / 2)
	if size <= 2*half {
		return io.ReadAll(io.NewSectionReader(r, 0, size))
	}
	head, err := io.ReadAll(io.NewSectionReader(r, 0, half))
	if err != nil {
		return nil, err
	}
	end, err := io.ReadAll(io.NewSectionReader(r, size-half, half))
	if err != nil {
		return nil, err
	}
	// Whole lines, where there are some: half a password would not be known for one.
	if at := bytes.LastIndexByte(head, '\n'); at >= 0 {
		head = head[:at]
	}
	if at := bytes.IndexByte(end, '\n'); at >= 0 && at+1 < len(end) {
		end = end[at+1:]
	}
	return slices.Concat(head, fmt.Appendf(nil, "\n… %d bytes left out …\n", size-int64(len(head)+len(end))), end), nil
}

// tail returns the last n lines of a file, without empty ones at its end; nil
// if it can't be read.
func tail(file string, n int) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailToRead {
		_, _ = f.Seek(-tailToRead, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, tailToRead))
	w := &lineWriter{keep: n}
	_, _ = w.Write(bytes.TrimRight(data, "\n\r \t"))
	w.flush()
	return w.last
}
