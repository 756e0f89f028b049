package dns

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// answer is what a resolver says of a name.
type answer struct {
	addrs []string
	err   error
}

// What is found replaces what was there, and what can't be found keeps what it had.
func TestWatch(t *testing.T) {
	c := &config.Upstream{DNS: config.DNS{Every: time.Millisecond, Timeout: 20 * time.Second}}
	for _, text := range []string{"http://a.example:80", "b.example:81", "127.0.0.1:9"} {
		a, err := config.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Endpoints = append(c.Endpoints, config.Endpoint{Address: a, Weight: 1 + len(c.Endpoints)})
	}
	away := errors.New("no response")
	rounds := []struct {
		a, b answer
		want string // what there is now; empty: nothing is told
	}{
		{answer{err: away}, answer{err: away}, "none"},
		{answer{addrs: []string{"10.0.0.2", "10.0.0.1", "10.0.0.1"}}, answer{err: away}, "10.0.0.1:80/1 10.0.0.2:80/1"},
		{answer{addrs: []string{"10.0.0.1", "10.0.0.2"}}, answer{err: away}, ""},
		{answer{err: away}, answer{addrs: []string{"2001:db8::1"}}, "10.0.0.1:80/1 10.0.0.2:80/1 [2001:db8::1]:81/2"},
		{answer{err: away}, answer{err: away}, ""},
		{answer{}, answer{addrs: []string{"2001:db8::1"}}, ""},
		{answer{addrs: []string{"::ffff:10.0.0.3"}}, answer{err: away}, "10.0.0.3:80/1 [2001:db8::1]:81/2"},
	}
	asked := make(chan chan answer)
	n := New(c, nil)
	n.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
		reply := make(chan answer)
		if host == "b.example" {
			host = "b"
		}
		select {
		case asked <- reply:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		reply <- answer{addrs: []string{host}}
		said := <-reply
		var all []netip.Addr
		for _, text := range said.addrs {
			all = append(all, netip.MustParseAddr(text))
		}
		return all, said.err
	}
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.Watch(ctx, func(all []upstream.Instance) {
			var text []string
			for _, in := range all {
				text = append(text, fmt.Sprintf("%s/%d", in.Address, in.Weight))
			}
			slices.Sort(text)
			if len(text) == 0 {
				text = []string{"none"}
			}
			told <- strings.Join(text, " ")
		})
	}()
	for i, round := range rounds {
		for range 2 {
			reply := <-asked
			if who := <-reply; who.addrs[0] == "b" {
				reply <- round.b
			} else {
				reply <- round.a
			}
		}
		if round.want == "" {
			continue // that nothing is told shows in what comes next
		}
		select {
		case got := <-told:
			if got != round.want {
				t.Fatalf("round %d: %s, want %s", i, got, round.want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("round %d: nothing is told, want %s", i, round.want)
		}
	}
	cancel()
	<-ended
}

func TestNoNames(t *testing.T) {
	a, err := config.ParseAddress("127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	if New(&config.Upstream{Endpoints: []config.Endpoint{{Address: a}}}, nil) != nil {
		t.Error("there is a source for addresses")
	}
}
