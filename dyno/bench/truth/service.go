//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// faults is what a service does wrong, on purpose. Shares are of the requests, 0
// to 1; which ones they are is a fixed pseudo-random function of their order.
// GET /ready always gets 200.
type faults struct {
	Speaks    string        // "h2" or "grpc", only in this process; HTTP/1.1 if empty
	SlowPath  string        // what is asked there is slow, if it is not empty
	Delay     time.Duration // before each response
	Slow      time.Duration // instead of Delay, for SlowShare
	SlowShare float64
	Hang      float64 // no response ever
	Fail      float64 // the response is 500
	Reset     float64 // the connection ends instead
	Wrong     float64 // the response is another body
	Cut       float64 // the response is half of the body, and closed
	Redirect  bool    // everything is a redirect to another path
	Banner    string  // what is sent instead of HTTP, at once
	// FreezeAt and FreezeFor hold every response that falls due in a time after the
	// first request until its end; 0 for never.
	FreezeAt, FreezeFor time.Duration
	Serial              time.Duration // one request at a time, each taking so long
	DieAfter            time.Duration // the process ends so long after its first request
	Drift               time.Duration // Delay grows by so much each second
	Cold                time.Duration // for so long after the first request, Slow takes the place of Delay
	Jitter              float64       // each start has a Delay of its own: lognormal, with this deviation
	Every               int           // only every so many starts are bad, by the lines of State; 0 or 1: all
	State               string        // file with a line for each start
	NoStart             bool          // a bad start ends at once
	Backlog             int           // of the listen queue, if it is not 0
	AcceptEach          time.Duration // time between two connections that are taken
	Spin                bool          // a thread uses a CPU, whatever is asked
	BusyChild           bool          // so does a process under this one
}

func (f *faults) register(flags *flag.FlagSet) {
	flags.DurationVar(&f.Delay, "delay", 0, "before each response")
	flags.DurationVar(&f.Slow, "slow", 0, "delay of the slow share")
	flags.Float64Var(&f.SlowShare, "slow-share", 0, "share of slow requests")
	flags.Float64Var(&f.Hang, "hang", 0, "share without a response")
	flags.Float64Var(&f.Fail, "fail", 0, "share with 500 in response")
	flags.Float64Var(&f.Reset, "reset", 0, "share reset")
	flags.Float64Var(&f.Wrong, "wrong", 0, "share with another body")
	flags.Float64Var(&f.Cut, "cut", 0, "share cut short")
	flags.DurationVar(&f.Serial, "serial", 0, "one at a time, each taking so long")
	flags.DurationVar(&f.Drift, "drift", 0, "delay grows by so much each second")
	flags.DurationVar(&f.Cold, "cold", 0, "the slow delay is every request's for so long after the first")
	flags.DurationVar(&f.DieAfter, "die-after", 0, "ends so long after the first request")
	flags.Float64Var(&f.Jitter, "jitter", 0, "deviation of ln(delay) between starts")
	flags.IntVar(&f.Every, "every", 0, "only every so many starts are bad")
	flags.StringVar(&f.State, "state", "", "file with a line for each start")
	flags.BoolVar(&f.Spin, "spin", false, "a thread uses a CPU from the start on")
	flags.BoolVar(&f.BusyChild, "busy-child", false, "a process under this one uses a CPU from the start on")
	flags.BoolVar(&f.NoStart, "no-start", false, "a bad start ends at once")
}

// serveMain is a subject of a study: it listens on $PORT.
func serveMain(args []string) error {
	var f faults
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.register(flags)
	hog := flags.Bool("hog", false, "use a CPU, and serve nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *hog {
		unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
		for {
		}
	}
	start, err := f.noteStart()
	if err != nil {
		return err
	}
	if f.Every > 1 && start%f.Every != f.Every-1 {
		f = faults{Delay: f.Delay, Jitter: f.Jitter}
	} else if f.NoStart {
		return fmt.Errorf("this start fails on purpose")
	}
	if f.Jitter > 0 {
		f.Delay = time.Duration(float64(f.Delay) * math.Exp(f.Jitter*normal(start)))
	}
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		return err
	}
	if f.Spin {
		go func() {
			for {
			}
		}()
	}
	if f.BusyChild {
		if err := exec.Command("/proc/self/exe", "serve", "-hog").Start(); err != nil {
			return err
		}
	}
	s := &service{faults: f, listener: ln}
	s.serve()
	return nil
}

// noteStart counts the starts of this service; the first is 0.
func (f *faults) noteStart() (int, error) {
	if f.State == "" {
		return 0, nil
	}
	file, err := os.OpenFile(f.State, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	before, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	_, err = file.WriteString("start\n")
	return bytes.Count(before, []byte("\n")), err
}

// service is a small HTTP/1.1 server with faults.
type service struct {
	faults
	listener net.Listener

	mu     sync.Mutex
	begun  chan struct{} // closed at the first request, if not nil
	first  time.Time     // when the first request came
	served int           // requests so far
	counts map[string]int
	slots  time.Time // until when the one that serves is taken, with Serial
	conns  map[net.Conn]bool
	closed bool

	multiplexer *http.Server // over HTTP/2; else nil
}

// startService runs a service in this process until stop.
func startService(f faults) (*service, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if f.Backlog > 0 {
		if err := shorten(ln, f.Backlog); err != nil {
			return nil, err
		}
	}
	s := &service{faults: f, listener: ln, begun: make(chan struct{})}
	if f.Speaks != "" {
		s.serveMultiplexed()
		return s, nil
	}
	go s.serve()
	return s, nil
}

// shorten gives a listener a queue of so many connections.
func shorten(ln net.Listener, backlog int) error {
	raw, err := ln.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.Listen(int(fd), backlog) })
	return errors.Join(err, failed)
}

// requests is how many came so far.
func (s *service) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

func (s *service) url() string {
	if s.Speaks == overGRPC {
		return "grpc://" + s.listener.Addr().String() + "/truth.Echo/Say"
	}
	return "http://" + s.listener.Addr().String() + "/"
}

func (s *service) stop() {
	s.listener.Close()
	if s.multiplexer != nil {
		s.multiplexer.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
}

// count is how many requests met a fate: ok, slow, hang, fail, reset, wrong, cut.
func (s *service) count(fate string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[fate]
}

func (s *service) serve() {
	s.counts, s.conns = make(map[string]int), make(map[net.Conn]bool)
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		time.Sleep(s.AcceptEach)
		s.mu.Lock()
		if s.closed {
			c.Close()
		}
		s.conns[c] = true
		s.mu.Unlock()
		go func() {
			s.connection(c)
			c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		}()
	}
}

const goodBody = "Hello, World!"

func responseText(status, extra, body string) string {
	return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\n" + extra + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func (s *service) connection(c net.Conn) {
	if s.Banner != "" {
		io.WriteString(c, s.Banner)
	}
	in := bufio.NewReader(c)
	for {
		path, err := readRequest(in)
		if err != nil {
			return
		}
		if path == "/ready" {
			io.WriteString(c, responseText("200 OK", "", "ready"))
			continue
		}
		fate, due := s.fateOf(time.Now(), path)
		if fate == "hang" {
			io.Copy(io.Discard, in) // until the client gives up
			return
		}
		time.Sleep(time.Until(due))
		if !s.respond(c, fate) {
			return
		}
	}
}

// respond reports whether the connection goes on.
func (s *service) respond(c net.Conn, fate string) bool {
	text, more := responseText("200 OK", "", goodBody), true
	switch fate {
	case "fail":
		text = responseText("500 Internal Server Error", "", "out of order")
	case "wrong":
		text = responseText("200 OK", "", "Goodbye, all!")
	case "cut":
		text, more = text[:len(text)-len(goodBody)/2], false
	case "redirect":
		text = responseText("302 Found", "Location: /elsewhere\r\n", "")
	case "reset":
		if t, ok := c.(*net.TCPConn); ok {
			t.SetLinger(0)
		}
		return false
	}
	_, err := io.WriteString(c, text)
	return err == nil && more
}

// readRequest reads a request and returns its path.
func readRequest(in *bufio.Reader) (path string, err error) {
	length := 0
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(line)
		if n == 0 {
			if fields := strings.Fields(line); len(fields) > 1 {
				path = fields[1]
			}
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
		if line == "" {
			_, err = in.Discard(length)
			return path, err
		}
	}
}

// fateOf decides over a request for a path that has come at an instant, and when its response
// is due.
func (s *service) fateOf(now time.Time, path string) (fate string, due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.served
	s.served++
	if k == 0 {
		s.first = now
		if s.begun != nil {
			close(s.begun)
		}
		if s.DieAfter > 0 {
			time.AfterFunc(s.DieAfter, func() { os.Exit(7) })
		}
	}
	delay := s.Delay
	fate, slow := s.draw(k)
	delay += time.Duration(now.Sub(s.first).Seconds() * float64(s.Drift))
	if slow || now.Sub(s.first) < s.Cold || s.SlowPath != "" && path == s.SlowPath {
		delay = s.Slow
	}
	s.counts[fate]++
	due = now.Add(delay)
	if s.Serial > 0 {
		if s.slots.Before(now) {
			s.slots = now
		}
		s.slots = s.slots.Add(s.Serial)
		due = s.slots
	}
	from, to := s.first.Add(s.FreezeAt), s.first.Add(s.FreezeAt+s.FreezeFor)
	if s.FreezeFor > 0 && due.After(from) && due.Before(to) {
		due = to
	}
	return fate, due
}

// draw gives request k its fate.
func (s *service) draw(k int) (fate string, slow bool) {
	if s.Redirect {
		return "redirect", false
	}
	u := share(uint64(k))
	for _, f := range []struct {
		fate  string
		share float64
	}{{"hang", s.Hang}, {"fail", s.Fail}, {"reset", s.Reset}, {"wrong", s.Wrong}, {"cut", s.Cut}, {"slow", s.SlowShare}} {
		if u < f.share {
			return f.fate, f.fate == "slow"
		}
		u -= f.share
	}
	return "ok", false
}

// share maps k to [0, 1), without pattern (SplitMix64: Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
func share(k uint64) float64 {
	k = (k + 1) * 0x9e3779b97f4a7c15
	k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
	k = (k ^ k>>27) * 0x94d049bb133111eb
	return float64((k^k>>31)>>11) / (1 << 53)
}

// normal is the k-th of a fixed series of normally distributed numbers.
func normal(k int) float64 {
	u, v := share(uint64(2*k)+1), share(uint64(2*k)+2)
	return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
}
