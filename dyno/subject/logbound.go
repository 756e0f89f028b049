package subject

import (
	"fmt"
	"io"
	"os"
	"time"
)

const (
	defaultLogLimit = 16 << 20 // bytes of a subject's log
	lookAtLog       = 100 * time.Millisecond
)

// logBound keeps what a subject prints from filling the disk. A log that has
// grown beyond limit bytes loses its middle: what is kept is its first half up
// to the limit, and its end, which says why a subject died.
//
// The log must be open for reading, and for appending: what is written next
// goes behind what is left. What is written while it is being cut may be lost,
// and is not counted.
type logBound struct {
	log     *os.File
	limit   int64
	leftOut int64 // bytes of the subject's
	note    int64 // bytes in the log that say so
}

// watch checks the log until stop is called, which checks a last time.
func (b *logBound) watch() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		look := time.NewTicker(lookAtLog)
		defer look.Stop()
		for {
			b.cut()
			select {
			case <-look.C:
			case <-quit:
				b.cut()
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// cut takes the middle out of a log that is too long. A log that can't be cut stays as
// it is: there is nowhere to report that.
func (b *logBound) cut() {
	info, err := b.log.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= b.limit {
		return
	}
	head, size := b.limit/2, info.Size()
	end := make([]byte, min(tailToRead, b.limit/4))
	n, err := b.log.ReadAt(end, size-int64(len(end)))
	if err != nil && err != io.EOF || b.log.Truncate(head) != nil {
		return
	}
	b.leftOut += max(0, size-head-b.note-int64(n))
	note := fmt.Sprintf("\ndyno: some %d bytes of this log are left out here\n", b.leftOut)
	b.note = int64(len(note))
	_, _ = b.log.Write(append([]byte(note), end[:n]...))
}
