package discovery

import (
	"context"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("f.yaml", []byte("listen: 127.0.0.1:0\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What isn't linked in is told with its place and the import that brings it, each once.
func TestMissing(t *testing.T) {
	c := parse(t, `kubernetes: {gateway: web}
routes: [{to: users}, {match: {path: /b}, to: plain}]
upstreams:
  users: {etcd: {endpoints: ["127.0.0.1:2379"], prefix: /users/}, consul: users}
  plain: ["127.0.0.1:1"]
`)
	got := Missing(c).Error()
	for i, want := range []string{
		"f.yaml:2:13: kubernetes: ", "with/kubernetes",
		"f.yaml:5:17: upstreams.users.etcd: ", "import dyno.example/nanogate/with/etcd",
		"upstreams.users.consul: ", "with/consul",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%d: %q isn't there once:\n%s", i, want, got)
		}
	}
	if lines := strings.Count(got, "\n") + 1; lines != 3 {
		t.Errorf("%d problems:\n%s", lines, got)
	}
	sources, problems := NewSet(Options{}).Endpoints(c.Upstreams[0])
	if len(sources) != 0 || len(problems) != 2 {
		t.Errorf("%v, %v", sources, problems)
	}
	if got := Missing(parse(t, "routes: [{to: plain}]\nupstreams: {plain: [\"127.0.0.1:1\"]}\n")); len(got) > 0 {
		t.Errorf("nothing is asked for: %v", got)
	}
}

// fixed is a client whose sources tell nothing.
type fixed struct{ opened int }

func (f *fixed) Endpoints(*config.Upstream) (upstream.Source, error) { return silent{}, nil }

type silent struct{}

func (silent) Watch(ctx context.Context, _ func([]upstream.Instance)) { <-ctx.Done() }

// A gateway opens a driver once, and another gateway opens it for itself.
func TestSet(t *testing.T) {
	opened := 0
	Register("dns", Driver{Open: func(Options) Client { opened++; return &fixed{opened} }})
	c := parse(t, "routes: [{to: a}, {match: {path: /b}, to: b}]\nupstreams: {a: [\"a.example:1\", \"b.example:1\"], b: [\"c.example:1\"]}\n")
	if got := Missing(c); len(got) > 0 {
		t.Fatal(got)
	}
	s := NewSet(Options{})
	for _, u := range c.Upstreams {
		if all, problems := s.Endpoints(u); len(all) != 1 || len(problems) > 0 {
			t.Errorf("%s: %v, %v", u.Name, all, problems)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times for one gateway", opened)
	}
	if c, _ := NewSet(Options{}).Client("dns"); c.(*fixed).opened != 2 {
		t.Errorf("another gateway has %v", c)
	}
	defer func() {
		if recover() == nil {
			t.Error("there are two of a name")
		}
	}()
	Register("dns", Driver{})
}
