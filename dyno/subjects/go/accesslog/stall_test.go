package main

import (
	"bytes"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// stalled has the logger's disk stand still while so many lines of 64 bytes are logged, and returns how many of them
// were dropped, and how many are unwritten.
func stalled(t *testing.T, s settings, lines int) (lost, missing int64) {
	t.Helper()
	disk, err := openStalling()
	if err != nil {
		t.Fatal(err)
	}
	l := newLogger(s, disk)
	line := append(bytes.Repeat([]byte("x"), 63), '\n')
	disk.still.Lock()
	for range lines {
		l.log(line)
	}
	disk.still.Unlock()
	l.close()
	c := l.counts()
	if c.lines != int64(lines) || c.written+c.lost+c.left != c.lines {
		t.Errorf("%+v of %d lines", c, lines)
	}
	return dropped(c), unwritten(c)
}

// TestStepsOfTheGuard: what the ring holds is kept; beyond three quarters of it, one line of twenty; and what
// then finds no room is dropped. Without the guard, what doesn't fit is.
func TestStepsOfTheGuard(t *testing.T) {
	const ring = 1 << 20
	for _, c := range []struct {
		name          string
		guard         bool
		lines         int
		drops, leaves bool
	}{
		{"a short stall", false, ring / 2 / 64, false, false},
		{"a short stall, guarded", true, ring / 2 / 64, false, false},
		{"a long one", false, 3 * ring / 64, true, true},
		{"a long one, guarded", true, 3 * ring / 64, false, true},
		{"one that is too long for the guard", true, 9 * ring / 64, true, true},
	} {
		lost, missing := stalled(t, settings{how: "ring", ring: ring, guard: c.guard}, c.lines)
		if (lost > 0) != c.drops || (missing > 0) != c.leaves {
			t.Errorf("%s: %d dropped, %d unwritten", c.name, lost, missing)
		}
	}
}

// TestDiskThatStalled: what was written comes to the file in its order, also what had to wait.
func TestDiskThatStalled(t *testing.T) {
	disk, err := openStalling()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	disk.still.Lock()
	wrote := make(chan error, 1)
	piece := append(bytes.Repeat([]byte("x"), 99), '\n')
	go func() {
		var err error
		for range 5000 { // more than pipe and reader hold
			err = disk.write(piece)
		}
		wrote <- err
	}()
	for range 5000 {
		want.Write(piece)
	}
	select {
	case <-wrote:
		t.Error("a disk that stands still took 500 KB")
	case <-time.After(20 * time.Millisecond):
	}
	disk.still.Unlock()
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	disk.in.Close()
	<-disk.ended
	_, _ = disk.to.Seek(0, io.SeekStart)
	if got, err := io.ReadAll(disk.to); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes of %d, %v", len(got), want.Len(), err)
	}
	disk.to.close()
}

// TestStallIsTold: a response tells what the stall before cost, while other lines come all the time, and the next
// one tells of the next stall only.
func TestStallIsTold(t *testing.T) {
	disk, err := openStalling()
	if err != nil {
		t.Fatal(err)
	}
	l := newLogger(settings{how: "ring", ring: 2 * batchSize}, disk)
	ends, over := make(chan struct{}), make(chan struct{})
	go func() { defer close(over); l.hum(50_000, ends) }()
	stall := l.handleStall(disk, 100*time.Millisecond, unwritten)
	ask := func() string {
		w := httptest.NewRecorder()
		stall(w, httptest.NewRequest("GET", "/stall", nil))
		return w.Body.String()
	}
	if got := ask(); got != "0" {
		t.Errorf("the first response tells of %s lines", got)
	}
	for l.counts().lines == 0 {
		time.Sleep(time.Millisecond)
	}
	for ask() == "0" { // until one was too long for 128 KB, in the ring and in the pipe
	}
	close(ends)
	<-over
	ask() // tells of one with lines
	if got := ask(); got != "0" {
		t.Errorf("of nothing %s lines are missing", got)
	}
	l.close()
	if c := l.counts(); c.written+c.lost != c.lines || c.left != 0 {
		t.Errorf("%+v", c)
	}
	if got := metricsOf(l); !strings.Contains(got, "\naccesslog_left_out_lines_total 0\n") {
		t.Errorf("%s", got)
	}
}

func metricsOf(l *logger) string {
	w := httptest.NewRecorder()
	l.metrics(w, nil)
	return w.Body.String()
}
