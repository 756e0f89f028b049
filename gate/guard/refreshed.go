package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// refreshed is something that is read from a file or a URL and read again, beside the
// path of requests, as long as it is used. When reading fails, what was there stays.
type refreshed[T any] struct {
	from  string
	every time.Duration
	parse func([]byte) (*T, error)
	now   atomic.Pointer[T]     // nil as long as it was never read
	err   atomic.Pointer[error] // of the last reading; nil if it went well
	wake  chan struct{}
	stop  context.CancelFunc
}

const (
	mostBytes   = 1 << 20          // of a file or an answer
	fetchTime   = 10 * time.Second // for an answer
	soonest     = time.Second      // between two readings, whoever asks for one
	lookAtFiles = 2 * time.Second  // how often a file is looked at
)

// read begins to read. A file that can't be read now is an error, as whoever wrote its
// name can mend it; a URL is asked again and again, more often at first.
func read[T any](from string, every time.Duration, parse func([]byte) (*T, error)) (*refreshed[T], error) {
	f := &refreshed[T]{from: from, every: every, parse: parse, wake: make(chan struct{}, 1)}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	if strings.Contains(from, "://") {
		go f.ask(ctx)
		return f, nil
	}
	seen, err := f.look(fileState{})
	if err != nil {
		stop()
		return nil, err
	}
	go f.watch(ctx, seen)
	return f, nil
}

// get returns the newest that could be read; nil if there is none yet.
func (f *refreshed[T]) get() *T { return f.now.Load() }

// hurry has it read soon. It may be called as often as one likes.
func (f *refreshed[T]) hurry() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Close ends the reading.
func (f *refreshed[T]) Close() { f.stop() }

// fileState tells one state of a file from another.
type fileState struct {
	size     int64
	modified time.Time
}

// look reads the file if it isn't in the state that was seen.
func (f *refreshed[T]) look(seen fileState) (fileState, error) {
	file, err := os.Open(f.from)
	if err != nil {
		return seen, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return seen, err
	}
	state := fileState{info.Size(), info.ModTime()}
	if state == seen {
		return seen, nil
	}
	b, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil {
		err = f.take(b)
	}
	if err != nil {
		return state, fmt.Errorf("%s: %w", f.from, err)
	}
	return state, nil
}

func (f *refreshed[T]) take(b []byte) error {
	if len(b) > mostBytes {
		return fmt.Errorf("more than %d bytes", mostBytes)
	}
	made, err := f.parse(b)
	if err != nil {
		return err
	}
	f.now.Store(made)
	return nil
}

// watch looks at the file now and then. A file is replaced by renaming as often as by
// writing, on file systems that tell of neither: looking works on all.
func (f *refreshed[T]) watch(ctx context.Context, seen fileState) {
	for f.wait(ctx, lookAtFiles) {
		state, err := f.look(seen)
		seen = state
		f.note(err)
	}
}

// ask gets the URL now and then.
func (f *refreshed[T]) ask(ctx context.Context) {
	client := &http.Client{Timeout: fetchTime, CheckRedirect: sameScheme}
	for pause := soonest; ; {
		err := f.fetch(ctx, client)
		f.note(err)
		wait := f.every
		if err != nil {
			wait = min(pause, f.every)
			pause *= 2
		} else {
			pause = soonest
		}
		if !f.wait(ctx, wait) {
			return
		}
	}
}

// sameScheme follows no redirect from https to http.
func sameScheme(next *http.Request, via []*http.Request) error {
	if len(via) > 3 || next.URL.Scheme != via[0].URL.Scheme {
		return errors.New("redirected too often, or to another scheme")
	}
	return nil
}

func (f *refreshed[T]) fetch(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.from, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", f.from, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	if err != nil {
		return err
	}
	return f.take(b)
}

func (f *refreshed[T]) note(err error) {
	if err == nil {
		f.err.Store(nil)
		return
	}
	f.err.Store(&err)
}

// wait waits so long, or until somebody is in a hurry, and never less than soonest. It
// returns false when it is over.
func (f *refreshed[T]) wait(ctx context.Context, d time.Duration) bool {
	for _, step := range []struct {
		d    time.Duration
		wake chan struct{}
	}{{min(soonest, d), nil}, {max(0, d-soonest), f.wake}} {
		timer := time.NewTimer(step.d)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-step.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
	return true
}
