package accesslog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	reopenEvery   = time.Second     // a file that couldn't be opened or written
	writeWithin   = 2 * time.Second // what a pipe's reader hasn't taken by then is lost
	complainEvery = time.Minute
)

var errAway = errors.New("it could not be opened a moment ago")

// sink is where lines go: a file, a named pipe, the standard output.
type sink struct {
	to         string
	file       *os.File // nil: it couldn't be opened
	again      time.Time
	torn       bool // a line was written in part
	complained time.Time
}

// use readies the sink for what is written next. If a file can't be reopened, the one
// that is open stays in use.
func (s *sink) use(to string, reopen bool) error {
	switch {
	case to != s.to:
	case s.file == nil && (reopen || !time.Now().Before(s.again)):
	case s.file != nil && reopen:
	default:
		return nil
	}
	file, err := open(to)
	if err != nil {
		s.again = time.Now().Add(reopenEvery)
		if to != s.to {
			s.close() // its lines aren't for the other file
		}
		s.to = to
		return err
	}
	s.close()
	s.to, s.file, s.torn = to, file, false
	return nil
}

// open opens a sink without waiting for a pipe's reader.
func open(to string) (*os.File, error) {
	switch to {
	case "stdout":
		return os.Stdout, nil
	case "stderr":
		return os.Stderr, nil
	}
	return os.OpenFile(to, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o640)
}

// write writes lines, and returns how many bytes of them were written. After a line
// that was cut short the next one begins on a line of its own.
func (s *sink) write(b []byte) (n int, err error) {
	if s.file == nil {
		return 0, errAway
	}
	_ = s.file.SetWriteDeadline(time.Now().Add(writeWithin)) // of pipes; files have none
	if s.torn {
		if _, err := s.file.Write(newline); err != nil {
			return 0, s.broken(err)
		}
		s.torn = false
	}
	if n, err = s.file.Write(b); err != nil {
		s.torn = s.torn || n > 0 && b[n-1] != '\n'
		return n, s.broken(err)
	}
	return n, nil
}

// broken deals with a write that failed: a pipe without a reader is opened again, a disk
// that is full is tried again as it is.
func (s *sink) broken(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		s.close()
		s.again = time.Now().Add(reopenEvery)
	}
	return err
}

func (s *sink) close() {
	if s.file != nil && s.file != os.Stdout && s.file != os.Stderr {
		s.file.Close()
	}
	s.file = nil
}

func (s *sink) mayComplain() bool {
	if time.Since(s.complained) < complainEvery {
		return false
	}
	s.complained = time.Now()
	return true
}

// checkSink says what is wrong with where a log is to go.
func checkSink(to string) error {
	if to == "stdout" || to == "stderr" {
		return nil
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return fmt.Errorf("access-log: %s is a directory", to)
	}
	if info, err := os.Stat(filepath.Dir(to)); err != nil {
		return fmt.Errorf("access-log: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("access-log: %s is no directory", filepath.Dir(to))
	}
	return nil
}
