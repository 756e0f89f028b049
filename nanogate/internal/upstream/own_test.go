package upstream

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// Whatever form an address has in which the gateway itself is reached, it is known.
func TestOwnHas(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "admin.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	link, other := filepath.Join(dir, "link"), filepath.Join(dir, "other")
	if err := os.Symlink(socket, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	mine := "10.255.255.254" // of no machine that tests run on
	if all, err := net.InterfaceAddrs(); err == nil {
		for _, a := range all {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
				mine = n.IP.String()
			}
		}
	}
	tcp := func(at string) *Own {
		o := new(Own)
		o.Set([]net.Addr{net.TCPAddrFromAddrPort(netip.MustParseAddrPort(at))})
		return o
	}
	file := new(Own)
	file.Set([]net.Addr{&net.UnixAddr{Name: socket, Net: "unix"}, &net.UnixAddr{Name: "@admin", Net: "unix"}})
	for _, tt := range []struct {
		own  *Own
		text string
		has  bool
	}{
		{tcp("127.0.0.1:9901"), "127.0.0.1:9901", true},
		{tcp("127.0.0.1:9901"), "localhost:9901", true},
		{tcp("127.0.0.1:9901"), "[::ffff:127.0.0.1]:9901", true},
		{tcp("127.0.0.1:9901"), "[::ffff:7f00:1]:9901", true},
		{tcp("127.0.0.1:9901"), "0.0.0.0:9901", true},
		{tcp("127.0.0.1:9901"), "https://127.0.0.1:9901", true},
		{tcp("127.0.0.1:9901"), "127.0.0.1:9902", false},
		{tcp("127.0.0.1:9901"), "127.0.0.2:9901", false},
		{tcp("127.0.0.1:9901"), "10.0.0.9:9901", false},
		{tcp("[::1]:9901"), "[::1]:9901", true},
		{tcp("[::1]:9901"), "[::]:9901", true},
		{tcp("[::]:8080"), "127.0.0.1:8080", true},
		{tcp("[::]:8080"), "127.9.8.7:8080", true},
		{tcp("[::]:8080"), "[::1]:8080", true},
		{tcp("[::]:8080"), "[::]:8080", true},
		{tcp("0.0.0.0:8080"), "127.0.0.1:8080", true},
		{tcp("0.0.0.0:8080"), mine + ":8080", mine != "10.255.255.254"},
		{tcp("0.0.0.0:8080"), "203.0.113.9:8080", false},
		{tcp("[fe80::1%eth0]:8080"), "[fe80::1]:8080", true},
		{file, "unix:" + socket, true},
		{file, "unix:" + link, true},
		{file, "unix:./admin.sock", true},
		{file, "unix:link", true},
		{file, "unix:" + dir + "/../" + filepath.Base(dir) + "/admin.sock", true},
		{file, "unix:/proc/self/root" + socket, true},
		{file, "unix:@admin", true},
		{file, "unix:@other", false},
		{file, "unix:" + other, false},
		{file, "unix:/nowhere", false},
		{file, "127.0.0.1:80", false},
		{nil, "127.0.0.1:80", false},
	} {
		a, err := config.ParseAddress(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.own.Has(a); got != tt.has {
			t.Errorf("%+v has %s: %v, want %v", tt.own, tt.text, got, tt.has)
		}
	}
}

// told is a source that names what it is made with.
type told []Instance

func (s told) Known() []Instance { return s }

func (s told) Watch(ctx context.Context, update func([]Instance)) {
	update(s)
	<-ctx.Done()
}

// A source that names the gateway is believed for the rest only, whether the address was
// known before or becomes the gateway's later; what the file names is asked.
func TestSourcesNameTheGateway(t *testing.T) {
	var log strings.Builder
	g := &Registry{Loops: 1, Own: new(Own), Log: slog.New(slog.NewTextHandler(&log, nil))}
	at := func(text string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(text)) }
	g.Own.Set([]net.Addr{at("127.0.0.1:9001")})
	all := instances(t, "", "", "") // 9001 to 9003
	c := &config.Upstream{Name: "users", Endpoints: []config.Endpoint{{Address: all[2].Address, Weight: 1}}}
	u := g.New(c, Parts{Sources: []Source{told(all[:2])}})
	t.Cleanup(u.Close)
	names := func() (names []string) {
		<-u.Discovered()
		for _, e := range u.Set().All {
			names = append(names, e.Name)
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"127.0.0.1:9003", "127.0.0.1:9002"}) {
		t.Errorf("asked are %q", got)
	}
	const why = "127.0.0.1:9001 is an address of the gateway itself, and isn't used"
	if all := u.Statuses(); len(all) != 1 || !slices.Equal(all[0].Wrong, []string{why}) || strings.Count(log.String(), why) != 1 {
		t.Errorf("it says %+v, and logs %s", all, &log)
	}
	g.Own.Set([]net.Addr{at("[::]:9002"), at("0.0.0.0:9003")})
	u.Review()
	if got := names(); !slices.Equal(got, []string{"127.0.0.1:9003", "127.0.0.1:9001"}) {
		t.Errorf("afterwards %q are", got)
	}
	g.Own.Set(nil)
	u.Review()
	if got := names(); len(got) != 3 || len(u.Statuses()) != 0 {
		t.Errorf("in the end %q are", got)
	}
}
