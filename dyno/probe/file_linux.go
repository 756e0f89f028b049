package probe

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// procFile is a file that the kernel generates each time it is read from the start.
// Kept open, it stays tied to its process or thread: when that is gone, reading fails,
// even if another got the same number.
type procFile struct {
	path string
	fd   int // 0 while not open: standard input is never ours
}

// reader reads proc files into one buffer and keeps as many open as it may.
type reader struct {
	buf   []byte
	spare int // files that may still be kept open
}

// newReader makes a reader that keeps at most files open.
func newReader(files int) *reader {
	return &reader{buf: make([]byte, 16<<10), spare: files}
}

// read returns what f holds now, valid until the next read.
func (r *reader) read(f *procFile) ([]byte, error) {
	fd := f.fd
	if fd == 0 {
		var err error
		if fd, err = unix.Open(f.path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return nil, fmt.Errorf("opening %s: %w", f.path, err)
		}
		if r.spare > 0 {
			r.spare--
			f.fd = fd
		} else {
			defer unix.Close(fd)
		}
	}
	data, err := r.readAll(fd)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.path, err)
	}
	return data, nil
}

func (r *reader) readAll(fd int) ([]byte, error) {
	n := 0
	for {
		if n == len(r.buf) {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		m, err := unix.Pread(fd, r.buf[n:], int64(n))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case m == 0:
			return r.buf[:n], nil
		default:
			n += m
		}
	}
}

// close gives up f, which may be read again.
func (r *reader) close(f *procFile) {
	if f.fd != 0 {
		unix.Close(f.fd)
		r.spare++
		f.fd = 0
	}
}

// hasEnded says whether err is that of reading a process or thread that is no
// more: ENOENT when it is opened, ESRCH when it was open already.
func hasEnded(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH)
}
