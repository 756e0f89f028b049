package kernel

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/nano/wire/clock"
)

// opened are probes for a server, or a reason to skip the test.
func opened(t *testing.T, addr string, pid int) *Probes {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(n)
	if err != nil {
		t.Skip("no probes here: ", err)
	}
	t.Cleanup(p.Close)
	if err := p.Watch(pid); err != nil {
		t.Fatal(err)
	}
	if err := p.Attach(); err != nil {
		t.Fatal(err)
	}
	return p
}

// client sends requests on one connection.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	opened  int64
	ordinal uint32
}

func dial(t *testing.T, addr string) *client {
	t.Helper()
	c := &client{opened: clock.Now()}
	var err error
	if c.conn, err = net.Dial("tcp", addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.conn.Close() })
	c.in = bufio.NewReader(c.conn)
	return c
}

func (c *client) send(t *testing.T, path string) evidence.Sample {
	t.Helper()
	local := c.conn.LocalAddr().(*net.TCPAddr)
	c.ordinal++
	s := evidence.Sample{Class: evidence.Tail, Weight: 1, Connection: evidence.ConnectionID(local.IP, uint16(local.Port)), Opened: c.opened, Ordinal: c.ordinal}
	s.Intended = clock.Now()
	s.Sent = s.Intended
	if _, err := fmt.Fprintf(c.conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *client) receive(t *testing.T, s *evidence.Sample) {
	t.Helper()
	if _, err := c.in.Peek(1); err != nil {
		t.Fatal(err)
	}
	s.First = clock.Now()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, 1<<10)
	for err == nil {
		_, err = resp.Body.Read(body)
	}
	s.Done = clock.Now()
	s.Status = int32(resp.StatusCode)
}

// record is what the probes say of a sample.
func record(t *testing.T, p *Probes, s *evidence.Sample, faultCost int64) evidence.Record {
	t.Helper()
	time.Sleep(time.Millisecond)
	events, _ := p.Slice(0, s.Sent-int64(time.Second), s.Done, nil)
	r := evidence.Join(s, events, evidence.Server{Started: s.Intended, FaultCost: faultCost})
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestInjectedTruth(t *testing.T) {
	addr, pid := start(t, itself("go"))
	upstream, _ := start(t, itself("upstream"))
	p := opened(t, addr, pid)
	c := dial(t, addr)
	ask := func(path string, cost int64) *evidence.Record {
		s := c.send(t, path)
		c.receive(t, &s)
		r := record(t, p, &s, cost)
		return &r
	}
	for range 20 {
		ask("/", 0)
	}
	ordinary := ask("/", 0)
	if ordinary.Incomplete != nil || ordinary.Budget()[evidence.Unexplained] > 0 {
		t.Errorf("an ordinary request: %+v", ordinary)
	}
	for _, tt := range []struct {
		name, path, more string
		stages           []evidence.Stage
	}{
		{"upstream", "/upstream", "&to=" + upstream, []evidence.Stage{evidence.Upstream}},
		{"on CPU", "/burn", "", []evidence.Stage{evidence.OnCPU}},
		{"disk", "/fsync", "&in=" + t.TempDir(), []evidence.Stage{evidence.Disk, evidence.OnCPU}},
		{"page faults", "/fault", "", []evidence.Stage{evidence.PageFault}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			injected(t, []int{pid}, func(stall time.Duration) string {
				r := ask(stalled(tt.path, stall)+tt.more, 0)
				if tt.path == "/fault" && r.Faults < 1000 {
					t.Errorf("%d faults", r.Faults)
				}
				return lacks(r, stall, tt.stages...)
			})
		})
	}
}
