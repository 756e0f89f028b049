package discovery

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// Options are what the configuration doesn't say.
type Options struct {
	Log    *slog.Logger // of what goes wrong later; nil: the driver's own choice
	State  *state.Dir   // with what others said last, for a start while they are away; nil: it isn't kept
	Lookup Lookup       // resolves host names; nil: the system's resolver does
}

// Lookup asks for the addresses of a host.
type Lookup = func(ctx context.Context, host string) ([]netip.Addr, error)

// Set is what one gateway finds things with: of each driver one client, opened when it is
// first needed. It may be used by several goroutines at once.
type Set struct {
	options Options

	mu   sync.Mutex
	open map[string]Client
}

// NewSet makes a set of which nothing is open yet.
func NewSet(o Options) *Set { return &Set{options: o, open: map[string]Client{}} }

// Log is where what goes wrong later is told.
func (s *Set) Log() *slog.Logger { return cmp.Or(s.options.Log, slog.Default()) }

// Put has a client be used that was made elsewhere, in place of the driver's own.
func (s *Set) Put(name string, c Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[name] = c
}

// Client is what finds things in the way of that name; false: its driver isn't linked in.
func (s *Set) Client(name string) (Client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.open[name]; c != nil {
		return c, true
	}
	d, linked := drivers.Find(name)
	if !linked {
		return nil, false
	}
	s.open[name] = d.Open(s.options)
	return s.open[name], true
}

// Endpoints makes the sources that an upstream asks for, but for those that can't be made,
// of which [Check] tells, and those that aren't linked in, which are problems.
func (s *Set) Endpoints(u *config.Upstream) (all []upstream.Source, problems config.Problems) {
	for _, asked := range u.Sources() {
		c, linked := s.Client(asked.Name)
		if !linked {
			problems = append(problems, missing(asked))
			continue
		}
		if source, err := c.Endpoints(u); err == nil {
			all = append(all, source)
		}
	}
	return all, problems
}
