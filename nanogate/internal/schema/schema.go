// Package schema keeps the descriptors of the services behind a route: read from a file,
// or from an upstream (reflection), in the background, and refreshed. The last ones stay
// in use when that fails.
package schema

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/openapi"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/transcode"
	"dyno.example/nanogate/internal/upstream"
)

// Source is where a route's API comes from.
type Source struct {
	rules  *config.GRPCJSON
	ask    func(ctx context.Context) (set *descriptorpb.FileDescriptorSet, from string, err error)
	every  time.Duration
	now    atomic.Pointer[known]
	status atomic.Pointer[Status]
	stop   context.CancelFunc
	ended  sync.WaitGroup
	sum    [sha256.Size]byte // of what the API was made of
	seen   fileState
}

// known is an API, and what describes it.
type known struct {
	api      *transcode.API
	document *request.Reply
}

// Status is how a source is doing.
type Status struct {
	From  string    // such as "descriptors ./api.pb"
	Known bool      // there is an API
	Since time.Time // of Err being as it is
	Err   string    // why the API isn't known, or may have changed meanwhile; "": it is as it should be
}

const (
	soonest     = time.Second     // between two questions
	lookAtFiles = 2 * time.Second // how often a file is looked at
)

// New begins to follow the source in rules. A file that can't be used is an error, as
// the author of its name can mend it. Upstreams are queried later, one after the other
// until one responds; there may be none. [Source.Close] ends it.
func New(rules *config.GRPCJSON, upstreams []*upstream.Upstream) (*Source, error) {
	s := &Source{rules: rules, every: lookAtFiles}
	from := "descriptors " + rules.Descriptors
	s.ask = s.file
	if rules.Reflection {
		ask, err := reflectionOf(rules)
		if err != nil {
			return nil, err
		}
		from, s.every = "reflection", rules.Refresh
		s.ask = func(ctx context.Context) (*descriptorpb.FileDescriptorSet, string, error) {
			return ask(ctx, upstreams, rules.Services)
		}
	}
	s.status.Store(&Status{From: from, Since: time.Now()})
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if !rules.Reflection {
		if err := s.look(ctx); err != nil {
			stop()
			return nil, err
		}
	}
	if !rules.Reflection || len(upstreams) > 0 {
		s.ended.Go(func() { s.follow(ctx) })
	}
	return s, nil
}

// API returns what is known; nil if nothing is yet.
func (s *Source) API() *transcode.API {
	if now := s.now.Load(); now != nil {
		return now.api
	}
	return nil
}

// Document returns the OpenAPI document of the services, as a reply; nil if they aren't
// known yet.
func (s *Source) Document() *request.Reply {
	if now := s.now.Load(); now != nil {
		return now.document
	}
	return nil
}

// Status returns how it is doing.
func (s *Source) Status() Status { return *s.status.Load() }

// Close ends the following.
func (s *Source) Close() {
	s.stop()
	s.ended.Wait()
}

// follow looks now and then, more often after a failure at first.
func (s *Source) follow(ctx context.Context) {
	wait, pause := s.every, soonest
	if s.rules.Reflection {
		wait = 0
	}
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if wait = s.every; s.look(ctx) == nil {
			pause = soonest
		} else {
			wait = min(pause, s.every)
			pause = min(2*pause, s.every)
		}
	}
}

// look reads the source once, and takes what has changed.
func (s *Source) look(ctx context.Context) error {
	err := s.take(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	before := s.status.Load()
	after := Status{From: before.From, Known: s.now.Load() != nil, Since: before.Since}
	if err != nil {
		after.Err = err.Error()
	}
	if after.Err != before.Err || after.Known != before.Known {
		after.Since = time.Now()
	}
	s.status.Store(&after)
	return err
}

func (s *Source) take(ctx context.Context) error {
	set, from, err := s.ask(ctx)
	if err != nil || set == nil {
		return err
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	sum := sha256.Sum256(b)
	if sum == s.sum && s.now.Load() != nil {
		return nil
	}
	files, err := descriptors.Link(set, from)
	if err != nil {
		return err
	}
	api, err := transcode.Compile(files, s.rules, from)
	if err != nil {
		return err
	}
	document, err := openapi.Document(api)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	s.sum = sum
	s.now.Store(&known{api, &request.Reply{Status: 200, Fields: []byte("Content-Type: application/json\r\n"), Body: append(document, '\n')}})
	return nil
}

// fileState identifies one state of a file.
type fileState struct {
	size     int64
	modified time.Time
}

// file reads the file if it has changed; else there is nothing new.
func (s *Source) file(context.Context) (*descriptorpb.FileDescriptorSet, string, error) {
	path := s.rules.Descriptors
	info, err := os.Stat(path)
	if err != nil {
		return nil, path, fmt.Errorf("the descriptor set: %w", err)
	}
	state := fileState{info.Size(), info.ModTime()}
	if state == s.seen && s.status.Load().Err == "" {
		return nil, path, nil
	}
	set, err := descriptors.ReadFile(path)
	if err == nil {
		s.seen = state
	}
	return set, path, err
}
