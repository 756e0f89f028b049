package snapshot

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

// naming is a resolver that answers when it is let.
type naming struct {
	let   chan bool
	known map[string]string
	free  atomic.Bool // it answers at once
}

func (n *naming) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if !n.free.Load() {
		select {
		case <-n.let:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if addr, ok := n.known[host]; ok {
		return []netip.Addr{netip.MustParseAddr(addr)}, nil
	}
	return nil, errors.New("no such host")
}

func addresses(u *upstream.Upstream) string {
	var all []string
	for _, e := range u.Set().All {
		all = append(all, e.Name)
	}
	return strings.Join(all, " ")
}

// A change of an upstream whose endpoints are host names doesn't leave it without: what
// was found before is there until the resolver answers, under another name of the
// upstream too, and what hasn't been asked for before is awaited.
func TestChangeOfNames(t *testing.T) {
	n := &naming{let: make(chan bool), known: map[string]string{"a.example": "10.0.0.1", "b.example": "10.0.0.2"}}
	n.free.Store(true)
	b := NewBuilder(1)
	b.Found = discovery.NewSet(discovery.Options{Lookup: n.lookup})
	one := b.Build(parse(t, "routes: [{to: u}]\nupstreams: {u: [\"a.example:80\"]}\n"), nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	one.Await(ctx, &Snapshot{})
	if got := addresses(one.Upstream("u")); !strings.Contains(got, "10.0.0.1") {
		t.Fatalf("the names of the first configuration: %q", got)
	}
	n.free.Store(false) // it doesn't respond from now on
	two := b.Build(parse(t, "routes: [{to: u}, {match: {path: /v}, to: v}]\nupstreams: {u: {endpoints: [\"a.example:80\"], balance: round-robin}, v: [\"a.example:81\"]}\n"), one)
	for name, want := range map[string]string{"u": "10.0.0.1:80", "v": "10.0.0.1:81"} {
		if u := two.Upstream(name); u == one.Upstream("u") || !strings.Contains(addresses(u), want) {
			t.Errorf("%s after the change: %q, want %s", name, addresses(u), want)
		}
	}
	one.Retire(two)

	three := b.Build(parse(t, "routes: [{to: u}]\nupstreams: {u: [\"b.example:80\"]}\n"), two)
	if got := addresses(three.Upstream("u")); got != "" {
		t.Errorf("before it is resolved: %q", got)
	}
	short, end := context.WithTimeout(t.Context(), time.Millisecond)
	three.Await(short, two) // in vain
	end()
	n.free.Store(true)
	close(n.let)
	three.Await(ctx, two)
	if got := addresses(three.Upstream("u")); !strings.Contains(got, "10.0.0.2:80") {
		t.Errorf("after it was awaited: %q", got)
	}
	two.Retire(three)
	three.Retire(nil)
	if ctx.Err() != nil {
		t.Error("it was awaited for ever")
	}
}
