package collect

import (
	"net"
	"os"
	"testing"
	"time"

	"dyno.example/nano/wire/clock"
)

// TestProbesAreOnForTheirShare has the kernel's programs turned on and off as the collector does, at a rate
// that it is told.
func TestProbesAreOnForTheirShare(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	k := Start(Config{Port: ln.Addr().(*net.TCPAddr).Port, Processes: []int{os.Getpid()}, Connections: 1})
	ended := false
	defer func() {
		if !ended {
			k.End()
		}
	}()
	if k.probes == nil {
		t.Skip("no probes here: ", k.header.Missing)
	}
	began := clock.Now()
	k.Begin(began)
	k.mu.Lock()
	k.duty.share = 0.3
	k.mu.Unlock()
	var spans []span
	paused := 0
	for len(spans) < 5 {
		time.Sleep(5 * time.Millisecond)
		k.mu.Lock()
		spans = append(spans[:0], k.duty.spans...)
		on := k.duty.current() != nil
		if k.inside.awake.Load() != on {
			t.Errorf("goroutines are looked at: %v, with the probes on: %v", !on, on)
		}
		if !on {
			paused++
		}
		k.mu.Unlock()
	}
	header, _ := k.End()
	ended = true
	if paused == 0 {
		t.Error("they were never seen to be off")
	}
	if spans[0].to < began+counting {
		t.Errorf("not always on while what they take is counted: until %v", time.Duration(spans[0].to-began))
	}
	for i := 1; i < len(spans); i++ {
		s, before := spans[i], spans[i-1]
		if s.on < before.off || before.off == 0 || s.from < s.on+lead || s.to != s.from+windowLength || s.after != before.to || s.weight() <= 1 {
			t.Errorf("window %d is %+v, after %+v", i, s, before)
		}
	}
	if l := header.Looked; l == nil || l.Windows < 4 || l.Share() <= 0 || l.Share() >= 1 {
		t.Errorf("looked %+v", l)
	}
	if len(header.Missing) > 0 && header.Missing[0].What == "kernel" {
		t.Error(header.Missing)
	}
}
