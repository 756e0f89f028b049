// Package consul finds the instances of an upstream in Consul's catalog, with the health
// that Consul knows of, and hears of changes by blocking queries.
package consul

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/dns"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// Options are what the configuration doesn't say. All have defaults.
type Options struct {
	Log     *slog.Logger
	Wait    time.Duration // how long Consul may wait for a change
	Least   time.Duration // between two questions: what changes meanwhile is one change
	Longest time.Duration // between two questions that fail
	State   *state.Dir    // for what Consul said last; nil: it isn't kept
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Wait, o.Least, o.Longest = cmp.Or(o.Wait, time.Minute), cmp.Or(o.Least, 100*time.Millisecond), cmp.Or(o.Longest, 10*time.Second)
	return o
}

// pause is the wait before the next try after so many failures in a row and one more:
// half of it random, so that upstreams don't retry together.
func (o Options) pause(failures int) time.Duration {
	most := min(o.Least<<min(failures, 20), o.Longest)
	return most/2 + rand.N(most/2+1)
}

// Source finds the instances of an upstream that are registered as a service.
type Source struct {
	config  *config.Consul
	options Options
	kept    *state.Instances
	names   *dns.Names
	secure  *secure.Client // nil: without TLS

	mu     sync.Mutex
	found  []upstream.Instance // nil: nothing was found yet
	status upstream.SourceStatus
}

// New makes the source of an upstream, whose host names are resolved by those rules. It
// opens no connection before it is watched.
func New(c *config.Consul, rules config.DNS, o Options) (*Source, error) {
	s := &Source{config: c, options: o.withDefaults(), names: dns.For(rules, nil)}
	s.options.Log = s.options.Log.With("consul", c.Address, "service", c.Service)
	s.status.From = "consul " + c.Address + " " + c.Service
	if len(c.Tags) > 0 {
		s.status.From += " " + strings.Join(c.Tags, ",")
	}
	if c.Datacenter != "" {
		s.status.From += " " + c.Datacenter
	}
	s.status.Since = time.Now()
	if strings.HasPrefix(c.Address, "https://") {
		var err error
		if s.secure, err = secure.NewClient(c.TLS); err != nil {
			return nil, err
		}
	}
	if _, err := s.token(); err != nil {
		return nil, err
	}
	s.kept = s.options.State.Instances(s.options.Log, s.status.From, "consul", c.Same())
	s.recall()
	return s, nil
}

// recall takes what is on disk for what is known.
func (s *Source) recall() {
	all, read, err := s.kept.Recall()
	if err != nil {
		s.options.Log.Error("stored instances can't be read from disk", "error", err)
	}
	if all == nil {
		return
	}
	s.found, s.status.Stored, s.status.Read = all, true, read
	s.options.Log.Info("stored instances, until Consul responds", "instances", len(all), "read", read, "age", time.Since(read).Round(time.Second))
}

// stored are the instances that are known from disk; nil: there are none, or Consul has
// responded.
func (s *Source) stored() []upstream.Instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.status.Stored {
		return nil
	}
	return s.found
}

// Inherit implements [upstream.Successor]: what was found by the same question is known.
func (s *Source) Inherit(before []upstream.Source) {
	s.names.Inherit(before)
	for _, source := range before {
		if other, ok := source.(*Source); ok && other != s && other.config.Same() == s.config.Same() {
			other.mu.Lock()
			found, stored, read := other.found, other.status.Stored, other.status.Read
			other.mu.Unlock()
			if found == nil {
				continue
			}
			s.mu.Lock()
			s.found, s.status.Stored, s.status.Read = found, stored, read
			s.mu.Unlock()
		}
	}
}

// Known implements [upstream.Preloaded].
func (s *Source) Known() []upstream.Instance {
	s.mu.Lock()
	found := s.found
	s.mu.Unlock()
	return s.names.Resolve(found)
}

// Resolved is what resolves the names of hosts.
func (s *Source) Resolved() *dns.Names { return s.names }

// Status implements [upstream.Reporter].
func (s *Source) Status() upstream.SourceStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Watch implements [upstream.Source].
func (s *Source) Watch(ctx context.Context, update func([]upstream.Instance)) {
	var watching sync.WaitGroup
	if s.secure != nil {
		watching.Go(func() { s.secure.Watch(ctx) })
	}
	asked := newAgent(s)
	hosts := s.names.Hosts(ctx, update)
	if known := s.stored(); known != nil {
		hosts.Tell(known) // names of hosts have to be resolved
	}
	s.follow(ctx, asked, hosts.Tell)
	asked.close()
	s.kept.Close()
	hosts.Wait()
	watching.Wait()
}

// follow runs blocking queries. After a failure, or an index that goes back, as with
// servers that were set up again, the next query returns at once; else Consul responds
// when something has changed, or after a time.
func (s *Source) follow(ctx context.Context, a *agent, tell func([]upstream.Instance)) {
	index, failures, told := uint64(0), 0, false
	for ctx.Err() == nil {
		began := time.Now()
		said, err := a.query(ctx, index)
		pause := s.options.Least - time.Since(began)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.failed(err)
			index, pause = 0, s.options.pause(failures)
			failures++
		default:
			failures = 0
			if all, wrong := instances(said.services, s.config, said.own); s.went(all, wrong, said.index) || !told {
				told = true
				tell(all)
			}
			if said.index < index {
				said.index = 0
			}
			index = said.index
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// failed notes that a query failed. The instances stay as they were.
func (s *Source) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.Live || s.status.Err == "" {
		s.status.Since = time.Now()
		s.options.Log.Warn("Consul can't be reached; the known instances stay", "instances", len(s.found), "error", err)
	}
	s.status.Live, s.status.Err = false, err.Error()
}

// went notes what Consul said, and reports whether it is something else than before.
func (s *Source) went(all []upstream.Instance, wrong []string, index uint64) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.status.Live {
		s.status.Since = time.Now()
		s.options.Log.Info("watching instances", "instances", len(all))
	}
	for _, w := range wrong {
		if !slices.Contains(s.status.Wrong, w) {
			s.options.Log.Warn("a part of the service can't be used; the rest is", "problem", w)
		}
	}
	changed = s.found == nil || !slices.Equal(s.found, all)
	s.found = all
	s.kept.Keep(all)
	s.status.Live, s.status.Err, s.status.Wrong, s.status.Revision = true, "", wrong, int64(index)
	s.status.Stored, s.status.Read = false, time.Time{}
	return changed
}
