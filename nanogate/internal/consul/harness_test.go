package consul

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// patience is how long a test waits for what must come. It is never the time that
// anything takes.
const patience = 30 * time.Second

// server responds as Consul's HTTP API does (/v1/health/service/:service), by what the
// test says: with blocking queries, and tokens if there is one to know.
type server struct {
	*httptest.Server

	mu      sync.Mutex
	changed *sync.Cond
	index   uint64
	all     []string      // instances, as JSON
	token   string        // "": nobody needs one
	refuse  func() string // why it can't respond; "": it can
	bare    bool          // its responses have no index
	self    string        // what the agent says of itself; "": it may not be asked
	asked   []string      // queries, in turn
	ended   bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{index: 10, refuse: func() string { return "" }}
	s.changed = sync.NewCond(&s.mu)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // clients say what is wrong
	t.Cleanup(func() {
		s.do(func() { s.ended = true })
		s.Close()
	})
	return s
}

// do changes something, which those hear of who wait.
func (s *server) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changed.Broadcast()
}

// register makes instances the ones there are.
func (s *server) register(all ...string) {
	s.do(func() {
		s.index++
		s.all = all
	})
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/v1/agent/self" {
		if s.self == "" {
			http.Error(w, "Permission denied: lacks permission 'agent:read'", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, s.self)
		return
	}
	query := r.URL.Query()
	s.asked = append(s.asked, r.URL.Path+"?"+r.URL.RawQuery)
	refused := func() bool {
		why := s.refuse()
		switch token := r.Header.Get("X-Consul-Token"); {
		case why != "":
			http.Error(w, why, http.StatusInternalServerError)
		case s.token != "" && token == "":
			w.Header().Set("X-Consul-Results-Filtered-By-ACLs", "true")
			w.Header().Set("X-Consul-Index", strconv.FormatUint(s.index, 10))
			fmt.Fprint(w, "[]")
		case s.token != "" && token != s.token:
			http.Error(w, "ACL not found", http.StatusForbidden)
		default:
			return false
		}
		return true
	}
	if refused() {
		return
	}
	since, _ := strconv.ParseUint(query.Get("index"), 10, 64)
	most, _ := time.ParseDuration(query.Get("wait"))
	late := false
	end := time.AfterFunc(most, func() { s.do(func() { late = true }) })
	defer end.Stop()
	for since != 0 && since >= s.index && !late && !s.ended && s.refuse() == "" && r.Context().Err() == nil {
		s.changed.Wait()
	}
	if refused() {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !s.bare {
		w.Header().Set("X-Consul-Index", strconv.FormatUint(s.index, 10))
	}
	fmt.Fprint(w, "["+strings.Join(s.all, ",")+"]")
}

// questions are the queries so far.
func (s *server) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// instance is one, as Consul has it; more is put into its service.
func instance(address string, port int, status, more string) string {
	return fmt.Sprintf(`{"Node":{"Node":"n1","Datacenter":"dc1","Address":"10.9.9.9","Meta":{"zone":"node-zone","rack":"r7"}},
"Service":{"ID":"users-%d","Service":"users","Address":%q,"Port":%d,"Weights":{"Passing":3,"Warning":2}%s},
"Checks":[{"CheckID":"serfHealth","Status":"passing"},{"CheckID":"service:users","Status":%q}]}`, port, address, port, more, status)
}

// follower is what an upstream was told.
type follower struct {
	*Source
	mu   sync.Mutex
	told []string // instances, at last
	much int      // how often
}

// source makes a source that is soon at it again.
func source(t *testing.T, c *config.Consul) *Source {
	t.Helper()
	return keeping(t, c, "")
}

// keeping makes one with a directory for what Consul said last.
func keeping(t *testing.T, c *config.Consul, dir string) *Source {
	t.Helper()
	s, err := New(c, config.DNS{Every: time.Second, Timeout: patience}, Options{
		Log: slog.New(slog.DiscardHandler), State: state.Open(dir), Least: time.Millisecond, Longest: 10 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// follow watches as an upstream does, until the test ends.
func follow(t *testing.T, c *config.Consul, before ...upstream.Source) *follower {
	t.Helper()
	f := &follower{Source: source(t, c)}
	f.Inherit(before)
	f.watch(t)
	return f
}

func (f *follower) watch(t *testing.T) { t.Cleanup(f.watchUntil(t)) }

// watchUntil watches until stop is called, or the test ends.
func (f *follower) watchUntil(t *testing.T) (stop func()) {
	f.tell(f.Known())
	ctx, cancel := context.WithCancel(t.Context())
	var ends sync.WaitGroup
	ends.Go(func() { f.Watch(ctx, f.tell) })
	return func() { cancel(); ends.Wait() }
}

func (f *follower) tell(all []upstream.Instance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.much++
	f.told = nil
	for _, in := range all {
		f.told = append(f.told, text(in))
	}
}

// text is an instance on one line.
func text(in upstream.Instance) string {
	scheme := ""
	switch {
	case in.Address.TLS:
		scheme = "https://"
	case in.Address.HTTP2:
		scheme = "h2c://"
	}
	return fmt.Sprintf("%s%s*%d %s", scheme, in.Address, in.Weight, in.Zone)
}

// sees waits until just these were told.
func (f *follower) sees(t *testing.T, want ...string) {
	t.Helper()
	f.until(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.much > 0 && slices.Equal(f.told, want)
	}, func() string { return fmt.Sprintf("%q were told, want %q", f.told, want) })
}

// fails waits until it isn't live for a reason.
func (f *follower) fails(t *testing.T, why string) {
	t.Helper()
	f.until(t, func() bool { s := f.Status(); return !s.Live && strings.Contains(s.Err, why) }, func() string {
		return fmt.Sprintf("%+v, want %q", f.Status(), why)
	})
}

func (f *follower) until(t *testing.T, holds func() bool, otherwise func() string) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			f.mu.Lock()
			defer f.mu.Unlock()
			t.Fatal(otherwise())
		}
	}
}

// of reads an upstream's consul out of a file.
func of(t *testing.T, fields string) *config.Consul {
	t.Helper()
	c, err := config.Parse(t.TempDir()+"/f.yaml", []byte("listen: \":1\"\nroutes: [{to: users}]\nupstreams: {users: {consul: {"+fields+"}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Upstreams[0].Consul
}

// services reads instances as Consul tells them.
func services(t *testing.T, all ...string) (made []service) {
	t.Helper()
	if err := json.Unmarshal([]byte("["+strings.Join(all, ",")+"]"), &made); err != nil {
		t.Fatal(err)
	}
	return made
}
