// Package refresh keeps what is read from files and URLs up to date: keys, passwords,
// what an identity provider says of itself.
package refresh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/bounds"
)

// Source is something that is read from a file or a URL and read again, beside the
// path of requests, as long as it is used. When reading fails, what was there stays.
type Source[T any] struct {
	from    string
	every   time.Duration
	parse   func([]byte) (*T, error)
	now     atomic.Pointer[T]     // nil as long as it was never read
	err     atomic.Pointer[error] // of the last reading; nil if it went well
	wake    chan struct{}
	hurried bounds.FetchLimit
	ctx     context.Context // of the reading
	stop    context.CancelFunc
	start   func() // begins to fetch; for a file it does nothing
}

const (
	mostBytes   = 1 << 20          // of a file or a response
	fetchTime   = 10 * time.Second // for a response
	soonest     = time.Second      // between two readings, however many are requested
	lookAtFiles = 2 * time.Second  // how often a file is looked at
)

// File reads a file, and checks it again every two seconds. One that can't be read now is
// an error, as the author of its name can mend it.
func File[T any](name string, parse func([]byte) (*T, error)) (*Source[T], error) {
	f := newSource(name, parse)
	f.start = func() {}
	seen, err := f.look(fileState{})
	if err != nil {
		f.stop()
		return nil, err
	}
	go f.watch(f.ctx, seen)
	return f, nil
}

// URL is the content of a URL, fetched at the interval every through transport, and more
// often at first while that fails. There is no request before [Source.Start].
func URL[T any](url string, every time.Duration, transport http.RoundTripper, parse func([]byte) (*T, error)) *Source[T] {
	f := newSource(url, parse)
	f.every = every
	client := &http.Client{Transport: transport, Timeout: fetchTime, CheckRedirect: safely}
	f.start = sync.OnceFunc(func() { go f.poll(f.ctx, client) })
	return f
}

func newSource[T any](from string, parse func([]byte) (*T, error)) *Source[T] {
	f := &Source[T]{from: from, parse: parse, wake: make(chan struct{}, 1), hurried: bounds.FetchLimit{Burst: 5, Every: 10 * time.Second}}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Start begins to fetch a URL, at the first call.
func (f *Source[T]) Start() { f.start() }

// Get returns the newest that could be read; nil if there is none yet.
func (f *Source[T]) Get() *T { return f.now.Load() }

// Hurry makes it read soon. It may be called at any rate, as by clients that send tokens with
// unknown keys: it is then read in a burst, and then once per interval.
func (f *Source[T]) Hurry() {
	if !f.hurried.May(time.Now()) {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Err returns why it couldn't be read last; nil if it could.
func (f *Source[T]) Err() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Look reads a file at once, whether or not it looks changed.
func (f *Source[T]) Look() error {
	_, err := f.look(fileState{})
	return err
}

// Close ends the reading.
func (f *Source[T]) Close() { f.stop() }

// fileState tells one state of a file from another.
type fileState struct {
	size     int64
	modified time.Time
}

// look reads the file if it isn't in the state that was seen.
func (f *Source[T]) look(seen fileState) (fileState, error) {
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

func (f *Source[T]) take(b []byte) error {
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

// watch polls the file. It may be replaced by renaming or by writing, and on file
// systems without notifications: polling works for all.
func (f *Source[T]) watch(ctx context.Context, seen fileState) {
	for f.wait(ctx, lookAtFiles) {
		state, err := f.look(seen)
		seen = state
		f.note(err)
	}
}

// poll fetches the URL periodically.
func (f *Source[T]) poll(ctx context.Context, client *http.Client) {
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

// safely follows redirects over https only: a server on this machine may be reached in the
// clear, but its redirects must not lead elsewhere in the clear, where an attacker on the
// path could respond.
func safely(next *http.Request, via []*http.Request) error {
	if len(via) > 3 || next.URL.Scheme != "https" {
		return errors.New("redirected too often, or to what isn't https")
	}
	return nil
}

func (f *Source[T]) fetch(ctx context.Context, client *http.Client) error {
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
		return fmt.Errorf("%s responded with %s", f.from, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes+1))
	if err != nil {
		return err
	}
	return f.take(b)
}

func (f *Source[T]) note(err error) {
	if err == nil {
		f.err.Store(nil)
		return
	}
	f.err.Store(&err)
}

// wait waits for d, or until [Source.Hurry], and never less than soonest. It returns
// false when ctx has ended.
func (f *Source[T]) wait(ctx context.Context, d time.Duration) bool {
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
