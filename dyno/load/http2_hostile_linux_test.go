package load

import (
	"fmt"
	"io"
	"net"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// mostMemory is how much more memory than before a load may have in use in this
// process, with its server, whatever that does; in bytes.
const mostMemory = 256 << 20

// watchMemory returns a function that tells by how much the heap grew since, at most.
func watchMemory() (grown func() int64) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	before, most := int64(heap[0].Value.Uint64()), int64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			metrics.Read(heap)
			most = max(most, int64(heap[0].Value.Uint64())-before)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return most
	}
}

// TestHTTP2Hostile: whatever a server does over HTTP/2, a load ends in its time, with
// bounded memory, and what happened is one kind of error.
func TestHTTP2Hostile(t *testing.T) {
	const length, limit = 300 * time.Millisecond, 200 * time.Millisecond
	forever := func(p *peer, write func() error) {
		for write() == nil {
		}
	}
	tests := []struct {
		name  string
		do    script
		body  int      // of requests, in bytes
		kinds []string // of errors that may be; there must be some
		says  string
	}{
		{name: "PUSH_PROMISE", kinds: []string{"protocol"}, says: "PROTOCOL_ERROR", do: func(p *peer, stream uint32) {
			p.WritePushPromise(xhttp2.PushPromiseParam{StreamID: stream, PromiseID: 2, BlockFragment: []byte{0x82, 0x86, 0x84}, EndHeaders: true})
		}},
		{name: "pings without end", kinds: []string{"protocol", "timeout"}, do: func(p *peer, stream uint32) {
			forever(p, func() error { return p.WritePing(false, [8]byte{1}) })
		}},
		{name: "SETTINGS without end", kinds: []string{"protocol"}, says: "ENHANCE_YOUR_CALM", do: func(p *peer, stream uint32) {
			forever(p, func() error {
				return p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 65535})
			})
		}},
		{name: "CONTINUATION without end", kinds: []string{"protocol"}, says: "ENHANCE_YOUR_CALM", do: func(p *peer, stream uint32) {
			p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0x88}})
			field := hpackField(p, "x", strings.Repeat("y", 10_000))
			forever(p, func() error { return p.WriteContinuation(stream, false, field) })
		}},
		{name: "empty DATA without end", kinds: []string{"protocol", "timeout"}, do: func(p *peer, stream uint32) {
			p.head(stream, false, ":status", "200")
			forever(p, func() error { return p.WriteData(stream, false, nil) })
		}},
		{name: "a body without end", kinds: []string{"timeout", "protocol"}, do: func(p *peer, stream uint32) {
			p.head(stream, false, ":status", "200")
			chunk := make([]byte, 16<<10)
			forever(p, func() error { return p.WriteData(stream, false, chunk) })
		}},
		{name: "interim responses without end", kinds: []string{"timeout", "protocol"}, do: func(p *peer, stream uint32) {
			forever(p, func() error { p.head(stream, false, ":status", "103"); return p.failed })
		}},
		{name: "WINDOW_UPDATE of nothing", kinds: []string{"protocol"}, says: "WINDOW_UPDATE by 0", do: func(p *peer, stream uint32) {
			p.AllowIllegalWrites = true
			p.WriteWindowUpdate(0, 0)
		}},
		{name: "a window above the highest", kinds: []string{"protocol"}, says: "FLOW_CONTROL_ERROR", do: func(p *peer, stream uint32) {
			p.WriteWindowUpdate(0, 1<<31-1)
			p.WriteWindowUpdate(0, 1<<31-1)
		}},
		{name: "DATA before the head", kinds: []string{"protocol", "body"}, do: func(p *peer, stream uint32) { p.WriteData(stream, true, []byte("x")) }},
		{name: "a stream that nobody opened", kinds: []string{"protocol"}, do: func(p *peer, stream uint32) {
			p.head(stream+1000, true, ":status", "200")
		}},
		{name: "windows that never open", body: 200_000, kinds: []string{"timeout"}, says: "no complete response", do: func(p *peer, stream uint32) {}},
		{name: "nothing at all", kinds: []string{"timeout"}, do: func(p *peer, stream uint32) {}},
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			eventually(t, func(wrong func(string, ...any)) {
				grown := watchMemory()
				s := overHTTP2(scripted(t, tt.do), engine, 2, 3, 0)
				s.Duration, s.Timeout, s.Drain = length, limit, limit
				if !slices.Contains(tt.kinds, "timeout") { // it is found out however slowly that is read
					s.Timeout, s.Drain = 30*time.Second, 30*time.Second
				}
				s.Requests = []request.Request{{Method: "POST", Path: "/", Body: strings.Repeat("z", tt.body)}}
				began := time.Now()
				r := ran(t, s)
				took, memory, all := time.Since(began), grown(), everything(r)
				if took > length+limit+time.Minute { // a busy machine is slow, but not for ever
					t.Errorf("%s: the load took %v", tt.name, took)
				}
				if memory > mostMemory {
					t.Errorf("%s: the heap grew by %d MB", tt.name, memory>>20)
				}
				if all.Completed+all.Drained != 0 {
					t.Errorf("%s: completed %d", tt.name, all.Completed)
				}
				if all.Errors.Total() == lateConnects(r) { // it stood still all the time
					wrong("%s: sent %d, unfinished %d, errors %+v", tt.name, all.Sent, all.Unfinished, all.Errors)
					return
				}
				for _, k := range all.Errors.ByKind() {
					if k.Kind == "connect" && k.Count == lateConnects(r) {
						continue // a busy machine did not get to it
					}
					if k.Count > 0 && !strings.Contains(strings.Join(tt.kinds, " "), k.Kind) {
						t.Errorf("%s: %d errors of kind %s (%v)", tt.name, k.Count, k.Kind, r.FirstErrors)
					}
				}
				if text := fmt.Sprint(r.FirstErrors); !strings.Contains(text, tt.says) {
					t.Errorf("%s: %s, want %q in it", tt.name, text, tt.says)
				}
			})
		}
	})
}

// hpackField is a field as an encoder of the peer's writes it.
func hpackField(p *peer, name, value string) []byte {
	p.fields.Reset()
	p.encoder.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: true})
	return append([]byte(nil), p.fields.Bytes()...)
}

// TestHTTP2ResetCodes: a server that resets all streams is measured, however many they
// are, and each code is counted by its name.
func TestHTTP2ResetCodes(t *testing.T) {
	const n = 2000 // more than a client that protects itself would take
	codes := []xhttp2.ErrCode{
		xhttp2.ErrCodeNo, xhttp2.ErrCodeProtocol, xhttp2.ErrCodeInternal, xhttp2.ErrCodeFlowControl, xhttp2.ErrCodeSettingsTimeout, xhttp2.ErrCodeStreamClosed,
		xhttp2.ErrCodeFrameSize, xhttp2.ErrCodeCancel, xhttp2.ErrCodeCompression, xhttp2.ErrCodeConnect, xhttp2.ErrCodeEnhanceYourCalm,
		xhttp2.ErrCodeInadequateSecurity, xhttp2.ErrCodeHTTP11Required, 0x77,
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		var at atomic.Int64
		want := make(map[string]uint64)
		for i := range n {
			name := codes[i%len(codes)].String()
			if codes[i%len(codes)] == 0x77 {
				name = "0x77"
			}
			want[name]++
		}
		target := scripted(t, func(p *peer, stream uint32) {
			p.WriteRSTStream(stream, codes[int(at.Add(1)-1)%len(codes)])
		})
		r := ran(t, overHTTP2(target, engine, 2, 10, n))
		all := everything(r)
		if all.Errors.Stream != n || all.Errors.Total() != n || all.Connects != 0 {
			t.Errorf("%d resets: errors %+v, %d connections (%v)", n, all.Errors, all.Connects, r.FirstErrors)
		}
		got := make(map[string]uint64)
		for _, c := range r.Causes {
			if c.Kind == measure.StreamError.String() {
				got[c.Name] += c.Count
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by code: %v, want %v", got, want)
		}
	})
}

// TestHTTP2LosesNoRequest: where a server goes away and says what it has looked at, each
// request has one response, and is served once.
func TestHTTP2LosesNoRequest(t *testing.T) {
	const n = 300
	tests := []struct {
		name string
		link request.Link
		do   func(served func(), p *peer, stream uint32)
	}{
		{name: "GOAWAY in the middle", do: func(served func(), p *peer, stream uint32) {
			if p.asked == 7 {
				p.WriteGoAway(stream, xhttp2.ErrCodeNo, nil)
			}
			if p.asked <= 7 {
				served()
				p.ok(stream)
			}
		}},
		{name: "GOAWAY in two steps", do: func(served func(), p *peer, stream uint32) {
			switch {
			case p.asked == 5:
				p.WriteGoAway(1<<31-1, xhttp2.ErrCodeNo, nil)
			case p.asked == 9:
				p.WriteGoAway(stream, xhttp2.ErrCodeNo, nil)
			}
			if p.asked <= 9 {
				served()
				p.ok(stream)
			}
		}},
		{name: "max-age", link: request.Link{MaxAge: time.Millisecond}, do: func(served func(), p *peer, stream uint32) {
			served()
			p.ok(stream)
		}},
		{name: "so many requests each", link: request.Link{PerConnection: 7}, do: func(served func(), p *peer, stream uint32) {
			served()
			p.ok(stream)
		}},
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			var served, conns atomic.Int64
			target := scripted(t, func(p *peer, stream uint32) {
				conns.Store(max(conns.Load(), int64(p.nth)))
				tt.do(func() { served.Add(1) }, p, stream)
			})
			s := overHTTP2(target, engine, 2, 4, n)
			s.Link.MaxAge, s.Link.PerConnection = tt.link.MaxAge, tt.link.PerConnection
			r := ran(t, s)
			all := everything(r)
			if all.Completed+all.Drained != n || all.Errors.Total() != 0 || served.Load() != n || all.Sent != n {
				t.Errorf("%s: sent %d, served %d, completed %d of %d, errors %+v (%v)", tt.name, all.Sent, served.Load(), all.Completed+all.Drained, n, all.Errors, r.FirstErrors)
			}
			if conns.Load() < 5 {
				t.Errorf("%s: %d connections only", tt.name, conns.Load())
			}
		}
	})
}

// TestHTTP2FewerStreams: a server that allows fewer streams while requests are under way
// gets no more once that is acknowledged, and more again when it allows more.
func TestHTTP2FewerStreams(t *testing.T) {
	allowed := []int{6, 2, 4}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		var mu sync.Mutex
		most := make([]int, len(allowed)) // streams that were open at a time, by what was allowed then
		target := server(t, func(c net.Conn) {
			p := &peer{Framer: xhttp2.NewFramer(c, c), conn: c}
			p.encoder = hpack.NewEncoder(&p.fields)
			io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
			limit := func(n int) { p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: uint32(n)}) }
			limit(allowed[0])
			came := make(chan xhttp2.FrameHeader, 100)
			go func() {
				defer close(came)
				for {
					f, err := p.ReadFrame()
					if err != nil {
						return
					}
					came <- f.Header()
				}
			}()
			var open []uint32
			said, acked, rounds, quiet := 1, 0, 0, 0
			for {
				select {
				case f, ok := <-came:
					switch {
					case !ok:
						return
					case f.Type == xhttp2.FrameSettings && f.Flags.Has(xhttp2.FlagSettingsAck):
						acked++
					case f.Type == xhttp2.FrameSettings:
						p.WriteSettingsAck()
					case f.Type == xhttp2.FrameHeaders:
						open = append(open, f.StreamID)
					}
				case <-time.After(10 * time.Millisecond): // no more come
					if len(open) == 0 || acked < said {
						continue
					}
					// A client that stands still sends as many as it may a little later.
					if quiet++; len(open) < allowed[said-1] && quiet < 100 {
						continue
					}
					quiet = 0
					mu.Lock()
					if rounds > 0 { // those of the first were sent under what was allowed before
						most[said-1] = max(most[said-1], len(open))
					}
					mu.Unlock()
					for _, stream := range open {
						p.ok(stream)
					}
					open = open[:0]
					if rounds++; rounds == 5 && said < len(allowed) {
						rounds = 0
						limit(allowed[said])
						said++
					}
				}
			}
		})
		const n = 80
		r := ran(t, overHTTP2(target, engine, 1, 8, n))
		if all := everything(r); all.Completed+all.Drained != n || all.Errors.Total() != 0 {
			t.Errorf("completed %d, errors %+v (%v)", all.Completed+all.Drained, all.Errors, r.FirstErrors)
		}
		mu.Lock()
		defer mu.Unlock()
		if fmt.Sprint(most) != fmt.Sprint(allowed) {
			t.Errorf("%v streams at a time at most, allowed were %v", most, allowed)
		}
	})
}

// TestHTTP2SettingsNotAcknowledged: a server that never acknowledges SETTINGS loses its
// connections, after 10 s (RFC 9113 6.5.3); until then it is measured.
func TestHTTP2SettingsNotAcknowledged(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes 12 s")
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		target := server(t, func(c net.Conn) {
			p := &peer{Framer: xhttp2.NewFramer(c, c), conn: c}
			p.encoder = hpack.NewEncoder(&p.fields)
			io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
			p.WriteSettings()
			for {
				f, err := p.ReadFrame()
				if err != nil {
					return
				}
				if f, ok := f.(*xhttp2.HeadersFrame); ok {
					p.ok(f.StreamID)
				}
			}
		})
		s := overHTTP2(target, engine, 1, 2, 0)
		s.Profile = profile.Profile{Mode: profile.Open, Connections: 1, Rate: 50, Arrivals: profile.Uniform}
		s.Duration = 12 * time.Second
		r := ran(t, s)
		all := everything(r)
		if all.Completed < 100 || !strings.Contains(fmt.Sprint(r.FirstErrors), "SETTINGS are not acknowledged") && all.Connects == 0 {
			t.Errorf("completed %d, errors %+v, %d connections (%v)", all.Completed, all.Errors, all.Connects, r.FirstErrors)
		}
	})
}
