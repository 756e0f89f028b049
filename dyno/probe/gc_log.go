package probe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"dyno.example/nano/wire/clock"
)

const (
	gcLogEnv   = "DYNO_GC_LOG"
	gcLogBlock = 64 << 10 // bytes
	// What a snapshot reads at most; a runtime that collects as fast as it can writes some
	// 100 KB a second.
	maxGCLogBlocks = 64
	maxGCLogLine   = 4 << 10 // bytes; longer ones are of no kind that is read
)

// gcLog follows a log that a JVM or V8 writes of its collections. It belongs to one goroutine.
type gcLog struct {
	path   string
	file   *os.File // nil before there is one
	offset int64    // bytes read
	block  []byte
	begun  []byte // of a line whose end is not there yet
	long   bool   // that line is longer than what is kept
	told   collections
}

// close may be called at any time, and more than once.
func (g *gcLog) close() {
	if g.file != nil {
		g.file.Close()
		g.file = nil
	}
}

// read takes what was written since it was read last. It returns nil if there is no log.
func (g *gcLog) read() (*helperTotals, error) {
	if err := g.open(); err != nil || g.file == nil {
		return nil, err
	}
	whole, err := g.follow()
	if err != nil {
		return nil, fmt.Errorf("reading the log of collections: %w", err)
	}
	t := &helperTotals{hello: &hello{Tells: []string{"gc_cycles", "gc_pause", "gc_pause_max"}}, late: !whole, response: response{
		Mono: clock.Now(), GCCycles: g.told.cycles, GCPause: g.told.pauses, GCPauseMax: g.told.longest, Heap: g.told.heap,
	}}
	if g.told.sized {
		t.hello.Tells = append(t.hello.Tells, "heap")
	}
	g.told.longest = 0
	return t, nil
}

// open opens the log once it is there.
func (g *gcLog) open() error {
	if g.file != nil {
		return nil
	}
	info, err := os.Lstat(g.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case err == nil:
		g.file, err = os.Open(g.path)
	}
	if err != nil {
		return fmt.Errorf("opening the log of collections: %w", err)
	}
	g.block = make([]byte, gcLogBlock)
	return nil
}

// follow reads on, and reports whether that was all there is.
func (g *gcLog) follow() (whole bool, err error) {
	info, err := g.file.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < g.offset {
		return false, errors.New("it was cut: let it grow (filecount=0)")
	}
	for range maxGCLogBlocks {
		n, err := g.file.Read(g.block)
		g.offset += int64(n)
		g.take(g.block[:n])
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// take cuts what was read into lines.
func (g *gcLog) take(data []byte) {
	for {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			g.keep(line)
			return
		}
		if len(g.begun) > 0 || g.long {
			g.keep(line)
			line = g.begun
		}
		if !g.long {
			g.told.add(line)
		}
		g.begun, g.long = g.begun[:0], false
		data = rest
	}
}

// keep remembers a part of a line.
func (g *gcLog) keep(part []byte) {
	if len(g.begun)+len(part) > maxGCLogLine {
		g.begun, g.long = g.begun[:0], true
		return
	}
	g.begun = append(g.begun, part...)
}
