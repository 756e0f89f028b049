package main

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// memory is a sink that keeps what it gets, once it may.
type memory struct {
	may  chan struct{} // nil: at once
	fail bool

	mu sync.Mutex
	bytes.Buffer
	writes int
}

func (m *memory) write(lines []byte) error {
	if m.may != nil {
		<-m.may
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		return errors.New("broken")
	}
	m.writes++
	m.Write(lines)
	return nil
}

func (*memory) close() {}

// ask sends a request to the service and returns the response's text.
func ask(l *logger, path string) string {
	w := httptest.NewRecorder()
	routes(l, new(sender), nil).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Body.String()
}

// TestEachRequestHasItsLine: whichever way, all lines are there when the logger is closed, whole.
func TestEachRequestHasItsLine(t *testing.T) {
	whole := regexp.MustCompile(`(?m)^192\.0\.2\.1:1234 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:[\d:.]{12} [+-]\d{4}\] "GET /logged\?q=%22a HTTP/1\.1" 200 1 "" "" \d+$`)
	for _, how := range []string{"path", "ring"} {
		m := &memory{}
		l := newLogger(settings{how: how, ring: 1 << 20}, m)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for range 100 {
					if got := ask(l, "/logged?q=%22a"); got != "0" {
						t.Errorf("%s: %s lines lost", how, got)
					}
				}
			})
		}
		all.Wait()
		l.close()
		if c := l.counts(); c != (counts{lines: 2000, written: 2000}) {
			t.Errorf("%s: %+v", how, c)
		}
		if n := len(whole.FindAllString(m.String(), -1)); n != 2000 || strings.Count(m.String(), "\n") != 2000 {
			t.Errorf("%s: %d whole lines of %d; the first is %.200s", how, n, strings.Count(m.String(), "\n"), m.String())
		}
		if batched := m.writes < 2000; batched != (how == "ring") {
			t.Errorf("%s: %d writes", how, m.writes)
		}
	}
}

// TestFullRingIsTold: while nothing can be written no request waits, and what the ring has no room for
// is counted, and told by each response and by the metrics.
func TestFullRingIsTold(t *testing.T) {
	m := &memory{may: make(chan struct{})}
	l := newLogger(settings{how: "ring", ring: 2 * batchSize}, m)
	asked := int64(0)
	for ask(l, "/logged") == "0" {
		if asked++; asked > 10_000 {
			t.Fatal("a ring of 128 KB has room for everything")
		}
	}
	asked++
	lost := l.counts().lost
	if lost == 0 || !strings.Contains(ask(l, "/metrics"), "\naccesslog_lost_lines_total "+strconv.FormatInt(lost, 10)+"\n") {
		t.Errorf("%d lost, metrics %q", lost, ask(l, "/metrics"))
	}
	close(m.may)
	l.close()
	if c := l.counts(); c.lines != asked || c.written+c.lost != asked || c.written != int64(strings.Count(m.String(), "\n")) {
		t.Errorf("%+v of %d", c, asked)
	}
}

// TestFailedWritesAreLost: a write that fails is no line written.
func TestFailedWritesAreLost(t *testing.T) {
	for _, how := range []string{"path", "ring"} {
		l := newLogger(settings{how: how, ring: 1 << 20}, &memory{fail: true})
		ask(l, "/logged")
		ask(l, "/logged")
		l.close()
		if c := l.counts(); c != (counts{lines: 2, lost: 2}) {
			t.Errorf("%s: %+v", how, c)
		}
		if got := ask(l, "/logged"); got != "2" {
			t.Errorf("%s: a response tells of %s", how, got)
		}
	}
}

// TestLinesComeSoon: what is less than a batch is written without another line.
func TestLinesComeSoon(t *testing.T) {
	m := &memory{}
	l := newLogger(settings{how: "ring", ring: 1 << 20}, m)
	defer l.close()
	for range 2 {
		ask(l, "/logged")
		for l.counts().written != l.counts().lines {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestNoneWritesNothing: the service without logs is the same but for them.
func TestNoneWritesNothing(t *testing.T) {
	l := newLogger(settings{how: "none"}, nowhere{})
	if got := ask(l, "/logged"); got != "0" {
		t.Errorf("%q", got)
	}
	l.close()
	if c := l.counts(); c != (counts{}) {
		t.Errorf("%+v", c)
	}
}

// TestFile: lines are in the file, of which nothing is left when it is closed.
func TestFile(t *testing.T) {
	for _, to := range []string{"file", "disk"} {
		t.Setenv("TMPDIR", t.TempDir())
		s, err := open(settings{how: "path", to: to})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.write([]byte("a\n")), s.write([]byte("b\nc\n"))); err != nil {
			t.Fatal(err)
		}
		f := s.(file)
		f.Seek(0, io.SeekStart)
		if got, err := io.ReadAll(f); err != nil || string(got) != "a\nb\nc\n" {
			t.Errorf("%s: %q, %v", to, got, err)
		}
		s.close()
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Errorf("%s leaves %v, %v", to, left, err)
		}
	}
}

// TestLineIsOne: whatever a client sends, its line is one, and its parts can be told apart.
func TestLineIsOne(t *testing.T) {
	line := string(appendLine(nil, &entry{method: "GET", proto: "HTTP/1.1", uri: "/a\"\nb", agent: "x\n\"y", referer: "\x00"}))
	if strings.Count(line, "\n") != 1 || !strings.Contains(line, ` "GET /a\"\nb HTTP/1.1" 0`) || !strings.Contains(line, `"\x00" "x\n\"y"`) {
		t.Errorf("%q", line)
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"", "path file 2097152"},
		{"LOG_HOW=ring LOG_TO=disk LOG_RING_KB=128", "ring disk 131072"},
		{"LOG_TO=kafka KAFKA_BROKERS=h:1", "path kafka 2097152"},
		{"LOG_HOW=none LOG_TO=kafka", "none kafka 2097152"},
		{"LOG_TO=kafka", "KAFKA_BROKERS is not set: dyno sets it where a study has the service kafka"},
		{"LOG_HOW=async", `LOG_HOW is "async": set it to path, ring or none`},
		{"LOG_IDS=yes", `LOG_IDS is "yes": set it to off or on`},
		{"LOG_BATCH_KB=2000", `LOG_BATCH_KB is "2000": set it to a number from 1 to 1024`},
		{"LOG_BURST_NICE=20", `LOG_BURST_NICE is "20": set it to a number from 0 to 19`},
		{"LOG_BURST=-1", `LOG_BURST is "-1": set it to a number from 0 to 1000000`},
		{"LOG_BURST_CODEC=gzip", `LOG_BURST_CODEC is "gzip": set it to snappy, none, zstd-3 or zstd-12`},
		{"LOG_STALL_MS=5000", `LOG_STALL_MS is "5000": set it to a number from 1 to 4000`},
		{"LOG_TO=stalling", "LOG_TO is stalling: set LOG_HOW to ring, of which it is told when it is empty again"},
		{"LOG_GUARD=1", `LOG_GUARD is "1": set it to off or on`},
		{"LOG_RING_KB=1", `LOG_RING_KB is "1": set it to a number from 128 to 1048576`},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, err := settingsOf(func(name string) string { return env[name] })
		got := s.how + " " + s.to + " " + strconv.Itoa(s.ring)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.env, got, c.want)
		}
	}
}
