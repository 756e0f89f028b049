package accesslog

import (
	"bufio"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

func logging(t testing.TB, c config.AccessLog) (*Log, func(o request.Outcome)) {
	t.Helper()
	if c.Buffer == 0 {
		c.Buffer = 64 << 10
	}
	l := New(&c, 1, slog.New(slog.DiscardHandler))
	t.Cleanup(l.Close)
	route := &Route{Log: l, Name: "r"}
	r := requesttest.Parse(t, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
	return l, func(o request.Outcome) { route.Ended(&o, route.Seen(r, nil)) }
}

func flush(t testing.TB, l *Log) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

func lines(t testing.TB, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// A file that was moved away is written to until it is opened again.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	l, log := logging(t, config.AccessLog{To: path, Sample: 1})
	log(request.Outcome{Status: 200})
	flush(t, l)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	log(request.Outcome{Status: 200})
	flush(t, l)
	l.Reopen()
	log(request.Outcome{Status: 200})
	flush(t, l)
	if before, now := lines(t, path+".1"), lines(t, path); before != 2 || now != 1 {
		t.Errorf("%d lines before, %d now", before, now)
	}
	if c := l.Counts(); c != (Counts{Written: 3}) {
		t.Errorf("%+v", c)
	}
}

// Of a share that is logged nothing is left out that is always logged.
func TestSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	l, log := logging(t, config.AccessLog{To: path, Sample: 0, Errors: true, Slow: time.Second})
	for range 10 {
		log(request.Outcome{Status: 200, Ended: 1e6})
	}
	log(request.Outcome{Status: 503})
	log(request.Outcome{Status: 200, Failed: request.UpstreamGone})
	log(request.Outcome{Status: 0, Failed: request.ClientGone})
	log(request.Outcome{Status: 200, Ended: 1e9})
	flush(t, l)
	if n := lines(t, path); n != 4 {
		t.Errorf("%d lines, want 4", n)
	}
	l.Configure(&config.AccessLog{To: path, Sample: 0.1})
	for range 10_000 {
		log(request.Outcome{Status: 200, Ended: 1e6})
		if len(l.rings[0].buf)-l.rings[0].used() < 1000 {
			flush(t, l)
		}
	}
	flush(t, l)
	if n := lines(t, path) - 4; n < 700 || n > 1300 {
		t.Errorf("%d of 10,000 were logged, want a tenth", n)
	}
}

// A sink that takes nothing costs lines, and no time of who logs.
func TestSinkThatHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // there is a reader, which doesn't read
	if err != nil {
		t.Fatal(err)
	}
	l, log := logging(t, config.AccessLog{To: path, Sample: 1})
	const n = 5000
	for range n {
		log(request.Outcome{Status: 200})
	}
	if c := l.Counts(); c.Dropped == 0 {
		t.Errorf("%+v", c)
	}
	read := make(chan int) // and then it does
	go func() {
		count := 0
		for s := bufio.NewScanner(reader); s.Scan() && count < 10; count++ {
			if !strings.HasPrefix(s.Text(), "{") || !strings.HasSuffix(s.Text(), "}") {
				t.Errorf("a line in part: %q", s.Text())
			}
		}
		reader.Close()
		read <- count
	}()
	log(request.Outcome{Status: 200})
	if count := <-read; count != 10 {
		t.Errorf("%d lines", count)
	}
}

// A disk that is full costs lines; so does a pipe that nobody reads.
func TestSinkThatFails(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"full": "/dev/full", "no reader": pipe, "no folder": "/no/such/folder/log"} {
		l, log := logging(t, config.AccessLog{To: to, Sample: 1})
		for range 3 {
			log(request.Outcome{Status: 200})
			flush(t, l)
		}
		if c := l.Counts(); c != (Counts{Failed: 3}) {
			t.Errorf("%s: %+v", name, c)
		}
		path := filepath.Join(t.TempDir(), "log")
		l.Configure(&config.AccessLog{To: path, Sample: 1})
		log(request.Outcome{Status: 200})
		if flush(t, l); lines(t, path) != 1 {
			t.Errorf("%s: it doesn't go on elsewhere", name)
		}
	}
}

// A line that was cut short ends there: the next one begins a line of its own.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := sink{}
	if err := s.use(path, false); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.write([]byte(`{"half"`)); err != nil {
		t.Fatal(err)
	}
	s.torn = true
	if _, err := s.write([]byte("{}\n")); err != nil || s.torn {
		t.Fatal(err, s.torn)
	}
	if b, _ := os.ReadFile(path); string(b) != "{\"half\"\n{}\n" {
		t.Errorf("%q", b)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for to, ok := range map[string]bool{"stdout": true, filepath.Join(dir, "log"): true, dir: false, filepath.Join(dir, "no", "log"): false} {
		if err := Check(&config.AccessLog{To: to}); (err == nil) != ok {
			t.Errorf("%s: %v", to, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("something was created: %v", entries)
	}
}

func TestLoggingAllocatesNothing(t *testing.T) {
	l, _ := logging(t, config.AccessLog{To: os.DevNull, Sample: 0.5, Errors: true, Buffer: 1 << 20})
	route := &Route{Log: l, Name: "route"}
	r := requesttest.Parse(t, "GET /a?b=c HTTP/1.1\r\nHost: h\r\nUser-Agent: x\r\nReferer: y\r\n\r\n")
	o := &request.Outcome{Status: 200, Endpoint: "127.0.0.1:1"}
	note := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(1000, func() { route.Ended(o, route.Seen(r, note)) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
