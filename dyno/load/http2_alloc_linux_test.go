package load

import (
	"crypto/tls"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/nullserver"
)

// TestHTTP2OverTLSAllocatesInCryptoTLSAlone: over TLS crypto/tls allocates for each
// record that it opens or seals, of however many frames. Nothing else on the way of a
// request does.
func TestHTTP2OverTLSAllocatesInCryptoTLSAlone(t *testing.T) {
	cert, _, _ := certificate(t, time.Now().Add(time.Hour))
	config := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}}
	target := "https" + strings.TrimPrefix(server(t, func(c net.Conn) {
		secure := tls.Server(c, config)
		var null nullserver.HTTP2
		in, out := make([]byte, 64<<10), []byte(nil)
		for {
			n, err := secure.Read(in)
			if err != nil {
				return
			}
			out, _ = null.Respond(out[:0], in[:n])
			if _, err := secure.Write(out); err != nil {
				return
			}
		}
	}), "http")
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = rate }()
	eachLoopAlone(t, func(t *testing.T, engine string) {
		var before, after map[string]int64
		s := overHTTP2(target, engine, 4, 10, 0)
		s.Profile, s.Warmup, s.Duration, s.DropHistograms = profile.Profile{Mode: profile.Closed, Connections: 4}, 500*time.Millisecond, 500*time.Millisecond, true
		s.OnWindow = func(w measure.Window) {
			if w.Index == -1 {
				before = allocatedIn("dyno.example/dyno/load/internal/engine.")
			} else {
				after = allocatedIn("dyno.example/dyno/load/internal/engine.")
			}
		}
		r := mustRun(t, s)
		if r.Total.Completed < 100 || r.Total.Errors.Total() > 0 {
			t.Fatalf("%d responses, errors %v", r.Total.Completed, r.FirstErrors)
		}
		inTLS := int64(0)
		for where, n := range after {
			n -= before[where]
			if strings.Contains(where, "crypto/tls.") {
				inTLS += n
			} else if float64(n) > 0.05*float64(r.Total.Completed) {
				t.Errorf("%d allocations for %d requests in %s", n, r.Total.Completed, where)
			}
		}
		t.Logf("%.2f allocations per request in crypto/tls", float64(inTLS)/float64(r.Total.Completed))
	})
}

// allocatedIn counts the objects allocated below functions that begin so, by stack.
func allocatedIn(prefix string) map[string]int64 {
	runtime.GC() // publishes what was allocated until
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 20_000)
	n, ok := runtime.MemProfile(records, true)
	for !ok {
		records = make([]runtime.MemProfileRecord, 2*n)
		n, ok = runtime.MemProfile(records, true)
	}
	counts := make(map[string]int64)
	for i := range records[:n] {
		var stack []string
		ours := false
		frames := runtime.CallersFrames(records[i].Stack())
		for {
			f, more := frames.Next()
			stack = append(stack, f.Function)
			ours = ours || strings.HasPrefix(f.Function, prefix)
			if !more {
				break
			}
		}
		if ours {
			counts[strings.Join(stack, " < ")] += records[i].AllocObjects
		}
	}
	return counts
}
