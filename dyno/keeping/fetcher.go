package keeping

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
	"dyno.example/nano/wire/clock"
)

// fetchTime is how long a subject may take to send a profile, on top of the time over which
// that is taken.
const fetchTime = 10 * time.Second

// fetcher fetches the profiles that a subject offers as net/http/pprof does.
type fetcher struct {
	base      string
	transport *http.Transport
	unable    error
	pending   []pending // those of the measured time; none if it didn't begin
	cancel    context.CancelFunc
}

// pending is a profile that was asked for.
type pending struct {
	kind archive.Kind
	got  chan fetched
}

// offered are the profiles of a time, by what they are called below base.
var offered = []struct {
	kind archive.Kind
	path string
}{{archive.RuntimeProfile, "/profile"}, {archive.AllocProfile, "/allocs"}}

// fetched is a response, or why there is none.
type fetched struct {
	content []byte
	err     error
}

// newFetcher fetches from below base; unable is why that isn't possible.
func newFetcher(base string, trust *tls.Config, unable error) *fetcher {
	return &fetcher{base: base, unable: unable, transport: &http.Transport{DisableCompression: true, TLSClientConfig: trust}}
}

// begin asks for the profiles of the measured time, in whole seconds.
func (f *fetcher) begin(measured int64, duration time.Duration) {
	if f.unable != nil {
		return
	}
	seconds := max(1, int(duration/time.Second))
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	for _, o := range offered {
		p := pending{o.kind, make(chan fetched, 1)}
		f.pending = append(f.pending, p)
		go func() {
			select {
			case <-time.After(time.Duration(measured - clock.Now())):
			case <-ctx.Done():
			}
			ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+fetchTime)
			defer cancel()
			content, err := f.get(ctx, o.path+"?seconds="+strconv.Itoa(seconds))
			p.got <- fetched{content, err}
		}()
	}
}

// end waits for them, as long as ctx allows, and fetches what the heap was at the end.
func (f *fetcher) end(ctx context.Context, t *archive.Trial, secrets study.Secrets) {
	defer f.transport.CloseIdleConnections()
	if f.unable != nil || len(f.pending) == 0 {
		why := f.unable
		if why == nil {
			why = errors.New("the load didn't begin")
		}
		for _, o := range offered {
			t.Lack(o.kind, why)
		}
		t.Lack(archive.HeapProfile, why)
		return
	}
	stop := context.AfterFunc(ctx, f.cancel)
	defer stop()
	defer f.cancel()
	for _, p := range f.pending {
		keepFetched(t, p.kind, <-p.got, secrets) // in time: its request has a deadline
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	content, err := f.get(ctx, "/heap")
	keepFetched(t, archive.HeapProfile, fetched{content, err}, secrets)
}

func keepFetched(t *archive.Trial, kind archive.Kind, got fetched, secrets study.Secrets) {
	if got.err == nil {
		got.err = readProfile(got.content)
	}
	if got.err != nil {
		t.Lack(kind, got.err)
		return
	}
	t.Keep(kind, got.content, unpacked(got.content), secrets)
}

// unpacked is a file's text, whether it is gzipped or not, as far as it can be read.
func unpacked(content []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return content
	}
	text, _ := io.ReadAll(io.LimitReader(z, archive.MostKept))
	return text
}

// get sends one request; a transport, unlike a client, follows no redirect.
func (f *fetcher) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := f.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return nil, fmt.Errorf("%s: %s: %q", request.URL.Path, response.Status, bytes.TrimSpace(why))
	}
	return io.ReadAll(io.LimitReader(response.Body, archive.MostKept+1))
}
