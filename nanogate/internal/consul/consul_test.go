package consul

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// What is registered is asked, and each change is heard of: instances that come, go, fail
// their checks, and the last one that is deregistered.
func TestFollow(t *testing.T) {
	s := newServer(t)
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.Start()
	f := follow(t, of(t, "service: users, address: \""+s.URL+"\", tags: [v2, eu], datacenter: dc7"))
	f.sees(t, "10.0.0.1:8080*3 node-zone")
	s.register(instance("10.0.0.2", 8080, "passing", ""), instance("10.0.0.1", 8080, "passing", ""))
	f.sees(t, "10.0.0.1:8080*3 node-zone", "10.0.0.2:8080*3 node-zone")
	s.register(instance("10.0.0.2", 8080, "critical", ""), instance("10.0.0.1", 8080, "passing", ""))
	f.sees(t, "10.0.0.1:8080*3 node-zone")
	s.register()
	f.sees(t)
	if status := f.Status(); !status.Live || status.Revision != 14 || status.From != "consul "+s.URL+" users v2,eu dc7" {
		t.Errorf("%+v", status)
	}
	first := s.questions()[0]
	if first != "/v1/health/service/users?dc=dc7&passing=1&tag=v2&tag=eu&wait=60000ms&index=0" {
		t.Errorf("it is asked %s", first)
	}
}

// While Consul is away, has no leader, lacks its index or refuses the token, what is known
// stays. A token that is replaced is used.
func TestAway(t *testing.T) {
	s := newServer(t)
	s.token = "secret-1"
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.Start()
	token := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("secret-1\n")
	f := follow(t, of(t, "service: users, address: \""+s.URL+"\", token: "+token))
	const known = "10.0.0.1:8080*3 node-zone"
	f.sees(t, known)
	for why, change := range map[string]struct{ begin, end func() }{
		"it responds with 500: No cluster leader": {
			func() { s.do(func() { s.refuse = func() string { return "No cluster leader" } }) },
			func() { s.do(func() { s.refuse = func() string { return "" } }) },
		},
		"it responds with 403: ACL not found": {
			func() { s.do(func() { s.token = "secret-2"; s.index++ }) },
			func() { write("secret-2") },
		},
		"its response has no index": {
			func() { s.do(func() { s.bare = true; s.index++ }) },
			func() { s.do(func() { s.bare = false }) },
		},
	} {
		change.begin()
		f.fails(t, why)
		f.sees(t, known)
		change.end()
		f.until(t, func() bool { return f.Status().Live }, func() string { return "it doesn't come back from: " + why })
	}
	s.CloseClientConnections()
	s.register(instance("10.0.0.1", 8080, "passing", ""), instance("10.0.0.2", 8080, "passing", ""))
	f.sees(t, known, "10.0.0.2:8080*3 node-zone")
	s.do(func() { s.ended = true })
	s.Close()
	f.fails(t, "connection refused")
	f.sees(t, known, "10.0.0.2:8080*3 node-zone")
}

// A token that may not read the service gets an empty list, which isn't one of nobody.
func TestFiltered(t *testing.T) {
	s := newServer(t)
	s.token = "secret"
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.Start()
	f := follow(t, of(t, "service: users, address: \""+s.URL+"\""))
	f.fails(t, "the token may not read the service")
	s.do(func() { s.token = "" })
	f.sees(t, "10.0.0.1:8080*3 node-zone")
}

// Servers that are set up again begin with a small index: they are believed at once.
func TestIndexGoesBack(t *testing.T) {
	s := newServer(t)
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.index = 1_000_000
	s.Start()
	f := follow(t, of(t, "service: users, address: \""+s.URL+"\""))
	f.sees(t, "10.0.0.1:8080*3 node-zone")
	s.do(func() {
		s.index, s.all = 3, []string{instance("10.0.0.7", 8080, "passing", "")}
		s.refuse = func() string { return "restarting" }
	})
	f.fails(t, "restarting")
	s.do(func() { s.refuse = func() string { return "" } })
	f.sees(t, "10.0.0.7:8080*3 node-zone")
	s.register(instance("10.0.0.8", 8080, "passing", ""))
	f.sees(t, "10.0.0.8:8080*3 node-zone")
}

// An upstream that is configured otherwise begins with what was known; one that asks for
// something else doesn't.
func TestInherit(t *testing.T) {
	s := newServer(t)
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.Start()
	c := of(t, "service: users, address: \""+s.URL+"\"")
	first := follow(t, c)
	first.sees(t, "10.0.0.1:8080*3 node-zone")
	s.do(func() { s.refuse = func() string { return "away" } })
	follow(t, c, first.Source).sees(t, "10.0.0.1:8080*3 node-zone")
	other := *c
	other.Service = "orders"
	follow(t, &other, first.Source).sees(t)
}

// A gateway that starts while Consul is away knows who there was, and how old that is; names
// of hosts are resolved then too. What Consul says later is believed.
func TestKept(t *testing.T) {
	s := newServer(t)
	s.register(instance("10.0.0.1", 8080, "passing", ""), instance("users.example", 8080, "passing", ""))
	s.Start()
	c, dir := of(t, "service: users, address: \""+s.URL+"\""), t.TempDir()
	lookup := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.7")}, nil
	}
	const one, other = "10.0.0.1:8080*3 node-zone", "10.0.0.7:8080*3 node-zone"
	first := &follower{Source: keeping(t, c, dir)}
	first.Resolved().SetLookup(lookup)
	stop := first.watchUntil(t)
	first.sees(t, one, other)
	stop()
	before := time.Now()
	s.do(func() { s.refuse = func() string { return "away" } })
	f := &follower{Source: keeping(t, c, dir)}
	f.Resolved().SetLookup(lookup)
	if got := f.Known(); len(got) != 1 || text(got[0]) != one {
		t.Errorf("at once: %v", got)
	}
	f.watch(t)
	f.sees(t, one, other)
	f.fails(t, "away")
	if status := f.Status(); !status.Stored || status.Read.IsZero() || status.Read.After(before) {
		t.Errorf("%+v", status)
	}
	// One that takes over from it knows as much of where that is from.
	heir := source(t, c)
	heir.Inherit([]upstream.Source{f.Source})
	if status := heir.Status(); !status.Stored || !status.Read.Equal(f.Status().Read) {
		t.Errorf("%+v", status)
	}
	another := *c
	another.Service = "orders"
	if got := keeping(t, &another, dir).Known(); len(got) > 0 {
		t.Errorf("another service has %v", got)
	}
	s.do(func() { s.refuse = func() string { return "" } })
	f.until(t, func() bool { s := f.Status(); return s.Live && !s.Stored && s.Read.IsZero() }, func() string { return "it stays stored" })
	s.register()
	f.sees(t)
}

// Names of hosts are resolved as an upstream's are.
func TestHostNames(t *testing.T) {
	s := newServer(t)
	s.register(instance("users.example", 8080, "passing", ""), instance("10.0.0.1", 8080, "passing", ""))
	s.Start()
	f := &follower{Source: source(t, of(t, "service: users, address: \""+s.URL+"\""))}
	f.Resolved().SetLookup(func(_ context.Context, host string) ([]netip.Addr, error) {
		if host != "users.example" {
			return nil, errors.New("nobody asked for " + host)
		}
		return []netip.Addr{netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("fd00::7")}, nil
	})
	f.watch(t)
	f.sees(t, "10.0.0.1:8080*3 node-zone", "10.0.0.7:8080*3 node-zone", "[fd00::7]:8080*3 node-zone")
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	f.sees(t, "10.0.0.1:8080*3 node-zone")
}

// Consul is verified, and nobody else is told the token.
func TestTLS(t *testing.T) {
	s := newServer(t)
	s.register(instance("10.0.0.1", 8080, "passing", ""))
	s.StartTLS()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	follow(t, of(t, "service: users, address: \""+s.URL+"\"")).fails(t, "certificate")
	follow(t, of(t, "service: users, address: \""+s.URL+"\", tls: {ca: "+ca+", server-name: elsewhere.test}")).fails(t, "elsewhere.test")
	follow(t, of(t, "service: users, address: \""+s.URL+"\", tls: {ca: "+ca+"}")).sees(t, "10.0.0.1:8080*3 node-zone")

	other := newServer(t)
	other.Server.Config.Handler = http.RedirectHandler(s.URL, http.StatusTemporaryRedirect)
	other.Start()
	follow(t, of(t, "service: users, address: \""+other.URL+"\"")).fails(t, "it sends us elsewhere")
}

func TestInstances(t *testing.T) {
	all := services(t,
		instance("", 8080, "passing", ""),
		instance("10.0.0.2", 8080, "warning", ""),
		instance("10.0.0.3", 8080, "critical", ""),
		instance("10.0.0.4", 8080, "maintenance", ""),
		instance("10.0.0.5", 8080, "passing", `,"Meta":{"zone":"own"}`),
		instance("10.0.0.6", 8080, "passing", `,"Meta":{"zone":"own"},"Locality":{"Region":"eu","Zone":"eu-1"}`),
		instance("10.0.0.7", 0, "passing", ""),
		instance("10.0.0.5", 8080, "passing", `,"Meta":{"zone":"own"}`), // by another node too
		instance("", 0, "passing", `,"SocketPath":"/run/users.sock"`),
		instance("fd00::8", 8080, "passing", ""),
		`{"Node":{"Address":"10.0.0.9"},"Service":{"Port":80}}`,
	)
	for fields, want := range map[string]string{
		", sockets: true": "10.0.0.5:8080*3 own, 10.0.0.6:8080*3 eu-1, 10.0.0.9:80*1 , 10.9.9.9:8080*3 node-zone, [fd00::8]:8080*3 node-zone, unix:/run/users.sock*3 node-zone",
		", sockets: true, passing-only: false, zone: rack, protocol: https": "https://10.0.0.2:8080*2 r7, https://10.0.0.5:8080*3 r7, https://10.0.0.6:8080*3 eu-1, https://10.0.0.9:80*1 , https://10.9.9.9:8080*3 r7, https://[fd00::8]:8080*3 r7, https://unix:/run/users.sock*3 r7",
	} {
		made, wrong := instances(all, of(t, "service: users"+fields), node{"dc1", "n1"})
		var got []string
		for _, in := range made {
			got = append(got, text(in))
		}
		if strings.Join(got, ", ") != want || len(wrong) != 1 || wrong[0] != "users-0 on n1: expected a port from 1 to 65535, got \"0\"" {
			t.Errorf("%s:\n got %q\nwant %q\n%q", fields, strings.Join(got, ", "), want, wrong)
		}
	}
	many := make([]service, mostInstances+5)
	for i := range many {
		many[i] = services(t, instance("10.0."+string(rune('0'+i%10))+".1", 1+i, "passing", ""))[0]
	}
	if made, wrong := instances(many, of(t, "service: users"), node{}); len(made) != mostInstances || len(wrong) != 1 {
		t.Errorf("%d instances, %q", len(made), wrong)
	}
}

// Who may register a service says which unix socket of the gateway's machine is opened: it
// is taken only if the file says so, of the machine's own node, and from the root on.
func TestSockets(t *testing.T) {
	of := func(fields string) *config.Consul { return of(t, "service: users"+fields) }
	socket := func(datacenter, name, path string) string {
		return `{"Node":{"Node":"` + name + `","Datacenter":"` + datacenter + `","Address":"10.0.0.9"},"Service":{"ID":"a","SocketPath":"` + path + `"},"Checks":[{"Status":"passing"}]}`
	}
	own, asked := node{"dc1", "n1"}, ", sockets: true"
	for _, tt := range []struct {
		fields string
		own    node
		text   string
		wrong  string // "": it is asked
	}{
		{"", own, socket("dc1", "n1", "/run/a.sock"), `unix sockets such as "/run/a.sock" aren't used`},
		{"", node{}, socket("", "", "/run/a.sock"), `aren't used`},
		{asked, own, socket("dc1", "n1", "/run/a.sock"), ""},
		{asked, own, socket("dc1", "n2", "/run/a.sock"), "another machine"},
		{asked, own, socket("dc2", "n1", "/run/a.sock"), "another machine"},
		{asked, node{}, socket("", "", "/run/a.sock"), "another machine"},
		{asked, own, socket("dc1", "n1", "./a.sock"), "from the root on"},
		{asked, own, socket("dc1", "n1", "@abstract"), "from the root on"},
		{asked, own, socket("dc1", "n1", "/"+strings.Repeat("a", 200)), "at most 107 bytes"},
	} {
		made, wrong := instances(services(t, tt.text), of(tt.fields), tt.own)
		switch {
		case tt.wrong == "" && len(made) == 1 && len(wrong) == 0:
		case tt.wrong != "" && len(made) == 0 && len(wrong) == 1 && strings.Contains(wrong[0], tt.wrong):
		default:
			t.Errorf("%s %v %s: %v, %q", tt.fields, tt.own, tt.text, made, wrong)
		}
	}
}

// The agent says which node it is of; while it doesn't, what is known stays.
func TestSocketsOfTheAgentsNode(t *testing.T) {
	s := newServer(t)
	s.register(`{"Node":{"Node":"n1","Datacenter":"dc1"},"Service":{"ID":"a","SocketPath":"/run/a.sock"}}`,
		`{"Node":{"Node":"n2","Datacenter":"dc1"},"Service":{"ID":"b","SocketPath":"/run/b.sock"}}`)
	s.Start()
	f := follow(t, of(t, "service: users, address: \""+s.URL+"\", sockets: true"))
	f.fails(t, "agent:read")
	s.do(func() { s.self = `{"Config":{"Datacenter":"dc1","NodeName":"n1"}}` })
	f.sees(t, "unix:/run/a.sock*1 ")
	if wrong := f.Status().Wrong; len(wrong) != 1 || !strings.Contains(wrong[0], "b on n2") {
		t.Errorf("wrong is %q", wrong)
	}
}

// Questions that fail come further and further apart, to a bound, and not all at once.
func TestPause(t *testing.T) {
	o := Options{}.withDefaults()
	before := time.Duration(0)
	for i := range 100 {
		longest := time.Duration(0)
		for range 100 {
			pause := o.pause(i)
			if pause < before/2 || pause > o.Longest {
				t.Fatalf("after %d failures: %v, before %v", i, pause, before)
			}
			longest = max(longest, pause)
		}
		before = longest
	}
	if before < o.Longest/2 {
		t.Errorf("at last %v", before)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte("["+instance("10.0.0.1", 8080, "passing", "")+"]"), "7")
	f.Add([]byte("[]"), "0")
	f.Add([]byte("{}"), "x")
	f.Add([]byte(`[{"Service":{"Weights":{"Passing":-1}},"Checks":[{}]}]`), "1")
	all := []*config.Consul{{Protocol: "http"}, {Protocol: "https", Warning: true, Zone: "zone"}}
	f.Fuzz(func(t *testing.T, body []byte, index string) {
		said, err := parse(http.Header{"X-Consul-Index": {index}}, body)
		if err != nil {
			return
		}
		for _, c := range all {
			made, _ := instances(said.services, c, node{})
			for _, in := range made {
				if in.Weight < 1 || in.Weight > mostWeight {
					t.Errorf("%+v", in)
				}
			}
		}
	})
}
