package runner

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/subject"
	"dyno.example/nano/wire/clock"
)

// The environment of this program when it is a subject with troubles.
const (
	troubleVariable = "DYNO_TEST_TROUBLE" // which, with commas between
	stateVariable   = "DYNO_TEST_STATE"   // folder to keep things in from start to start
)

func TestMain(m *testing.M) {
	if subject.IsKeeper(os.Args) {
		subject.KeeperMain()
	}
	if os.Getenv(subjectVariable) != "" {
		serveTest()
	}
	if os.Getenv(burnVariable) != "" {
		fmt.Fprintln(os.Stderr, serveBurn())
		os.Exit(1)
	}
	if os.Getenv(costVariable) != "" {
		fmt.Fprintln(os.Stderr, serveAtCost())
		os.Exit(1)
	}
	if os.Getenv(workVariable) != "" {
		fmt.Fprintln(os.Stderr, serveWork())
		os.Exit(1)
	}
	if trouble, ok := os.LookupEnv(troubleVariable); ok {
		fmt.Fprintln(os.Stderr, serveTrouble(trouble))
		os.Exit(1)
	}
	// Under the race detector a program sleeps for a second before it exits,
	// and keepers are this program.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	flag.Parse()
	flag.Set("test.parallel", "6") // they wait for most of their time
	os.Exit(m.Run())
}

// serveTrouble is a subject that responds "ok", with one trouble at a time.
func serveTrouble(trouble string) error {
	if trouble == "hog" {
		for {
		}
	}
	s := &troubledServer{trouble: trouble}
	if has(trouble, "plateaus") || has(trouble, "fails") || has(trouble, "no-start") {
		starts, _ := os.ReadFile(filepath.Join(os.Getenv(stateVariable), "starts"))
		s.slow = len(starts)%2 == 1
		if err := os.WriteFile(filepath.Join(os.Getenv(stateVariable), "starts"), append(starts, '.'), 0o644); err != nil {
			return err
		}
	}
	if has(trouble, "no-start") && s.slow {
		return errors.New("no configuration found")
	}
	if has(trouble, "asleep") {
		time.Sleep(time.Minute)
	}
	if has(trouble, "replaces") {
		go replace()
	}
	if has(trouble, "leak") {
		go leak()
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		return err
	}
	if has(trouble, "gateway") {
		return http.Serve(l, httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: os.Getenv("UPSTREAM")}))
	}
	return http.Serve(l, s)
}

// has reports whether a trouble is among those named.
func has(trouble, name string) bool { return slices.Contains(strings.Split(trouble, ","), name) }

// replace has a worker that dies after two seconds, and then another.
func replace() {
	for {
		worker := exec.Command(os.Args[0])
		worker.Env = append(os.Environ(), troubleVariable+"=asleep")
		if err := worker.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		time.Sleep(2 * time.Second)
		worker.Process.Kill()
		worker.Wait()
	}
}

// leak takes a MiB a tenth of a second and never gives it back.
func leak() {
	var kept [][]byte
	for range time.Tick(100 * time.Millisecond) {
		piece := make([]byte, 1<<20)
		for i := 0; i < len(piece); i += 4096 {
			piece[i] = 1
		}
		kept = append(kept, piece)
	}
	fmt.Println(len(kept))
}

type troubledServer struct {
	trouble string
	slow    bool // this start is one of every second, which has the trouble
	served  atomic.Int64
	began   atomic.Int64 // of the load, CLOCK_MONOTONIC in ns; 0: not yet
}

// loaded is how long the server has been under load: since its 20th request, as who looks
// whether it is there sends fewer.
func (s *troubledServer) loaded(nth int64) time.Duration {
	if nth == 20 {
		s.began.Store(clock.Now())
	}
	if began := s.began.Load(); began > 0 {
		return time.Duration(clock.Now() - began)
	}
	return 0
}

func (s *troubledServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.served.Add(1)
	loaded := s.loaded(n)
	switch {
	case has(s.trouble, "dies") && loaded > 2500*time.Millisecond:
		os.Exit(3)
	case has(s.trouble, "warm-up") && loaded < 4*time.Second:
		time.Sleep(15 * time.Millisecond)
	case has(s.trouble, "settles"): // in two seconds, from 12 ms to 4 ms
		time.Sleep(4*time.Millisecond + max(0, 8*time.Millisecond-loaded/250))
	case has(s.trouble, "worsens"): // by half in each second
		time.Sleep(time.Duration(float64(time.Millisecond) * math.Pow(1.5, loaded.Seconds())))
	case has(s.trouble, "even"):
		time.Sleep(4 * time.Millisecond)
	case has(s.trouble, "fails") && s.slow && n > 20 && n%20 < 3: // 15 %
		w.WriteHeader(http.StatusInternalServerError)
		return
	case has(s.trouble, "fails"):
	case has(s.trouble, "plateaus") && s.slow:
		time.Sleep(300 * time.Millisecond)
	case has(s.trouble, "plateaus"):
		time.Sleep(5 * time.Millisecond)
	case has(s.trouble, "errors") && n%100 == 0:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case has(s.trouble, "wrong") && n > 20 && n%10 == 0:
		io.WriteString(w, "no")
		return
	}
	io.WriteString(w, "ok")
}
