//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// Names of servers as tables show them.
const (
	nanoName    = "nano"
	mountedName = "nano mounted"     // a chi router on nano
	jsonName    = "nano + nano/json" // whose Bind reads JSON by that module
)

// subjectsOf are the servers that are subjects of this repository.
var subjectsOf = map[string]string{
	nanoName: "go/nano", mountedName: "go/nano-mounted",
	"gnet": "go/gnet", "fasthttp": "go/fasthttp", "fiber": "go/fiber", "hertz": "go/hertz", "net/http": "go/nethttp",
}

// rustOf are the servers in testdata/rust, by crate: the package that uses it.
var rustOf = map[string]string{"may_minihttp": "may", "ntex": "ntex", "actix-web": "actix", "axum": "axum"}

// ownOf are what this program serves itself, by flags: for loads that subjects
// have no routes or certificates for.
var ownOf = map[string][]string{
	"nano/own": {"-kind", "nano"}, jsonName: {"-kind", "nano-json"}, "nethttp/own": {"-kind", "nethttp"},
	"nano/tls": {"-kind", "nano", "-tls"}, "nethttp/tls": {"-kind", "nethttp", "-tls"},
}

// epollName is the C server with a fixed response.
const epollName = "C epoll"

// program is a server that has been built.
type program struct {
	args    []string // with $PORT where the port belongs
	env     []string
	tls     bool
	version string
}

// make builds a server.
func (l *lab) make(ctx context.Context, name string) (program, error) {
	if id, ok := subjectsOf[name]; ok {
		return l.makeSubject(ctx, id)
	}
	if id, ok := grpcSubjects[name]; ok {
		return l.makeSubject(ctx, id)
	}
	if pkg, ok := rustOf[name]; ok {
		return l.makeRust(ctx, name, pkg)
	}
	if flags, ok := ownOf[name]; ok {
		return l.makeOwn(l.Self, flags, "of this source"), nil
	}
	if flags, ok := peersOf[name]; ok {
		return l.makePeer(ctx, flags)
	}
	if inC, ok := cServers[name]; ok {
		return inC(ctx, l, strings.HasSuffix(name, overTLS))
	}
	if name == nginxName {
		return l.makeNginx(ctx)
	}
	if way, ok := waysOf[name]; ok {
		return l.makeWay(ctx, way)
	}
	return l.makeC(ctx, "epoll")
}

func (l *lab) makeSubject(ctx context.Context, id string) (program, error) {
	m, err := l.catalog.Get(id)
	if err != nil {
		return program{}, err
	}
	fmt.Println("building", id)
	a, err := l.builder.Build(ctx, l.catalog, m)
	if err != nil {
		return program{}, err
	}
	p := program{args: a.StartSpec().Command, version: fmt.Sprintf("%s %s, build %.12s, %s", m.Framework, m.Version, a.Hash, strings.Join(a.Toolchain, ", "))}
	for i := range p.args {
		p.args[i] = strings.ReplaceAll(p.args[i], "$OUT", a.Out)
	}
	for name, value := range m.Env {
		p.env = append(p.env, name+"="+value)
	}
	return p, nil
}

// rustFolder is where the Rust servers are.
const rustFolder = "nano/bench/testdata/rust"

// makeRust builds all Rust servers at their locked versions, which takes some
// minutes the first time.
func (l *lab) makeRust(ctx context.Context, name, pkg string) (program, error) {
	target := filepath.Join(l.cache, "rust")
	fmt.Println("building", name, "with cargo")
	if err := rounds.Execute(ctx, rustFolder, "cargo", "build", "--release", "--locked", "--target-dir", target); err != nil {
		return program{}, err
	}
	lock, err := os.ReadFile(filepath.Join(rustFolder, "Cargo.lock"))
	if err != nil {
		return program{}, err
	}
	compiler, err := rounds.Version(ctx, "rustc", "--version")
	return program{
		args:    []string{filepath.Join(target, "release", "server-"+pkg), "127.0.0.1:$PORT"},
		version: fmt.Sprintf("%s, %s", lockedVersion(string(lock), name), compiler),
	}, err
}

// lockedVersion reads a crate's version from a Cargo.lock; empty if it has none.
func lockedVersion(lock, crate string) string {
	_, rest, found := strings.Cut(lock, "name = \""+crate+"\"\nversion = \"")
	if !found {
		return ""
	}
	version, _, _ := strings.Cut(rest, "\"")
	return version
}

func (l *lab) makeC(ctx context.Context, name string) (program, error) {
	path := filepath.Join(l.cache, name)
	if err := rounds.Execute(ctx, "", "cc", "-O2", "-o", path, filepath.Join("nano/bench/testdata", name+".c")); err != nil {
		return program{}, err
	}
	compiler, err := rounds.Version(ctx, "cc", "--version")
	return program{args: []string{path, "127.0.0.1", "$PORT"}, version: compiler}, err
}

func (l *lab) makeOwn(self string, flags []string, version string) program {
	p := program{args: append([]string{self, "serve", "-address", "127.0.0.1:$PORT", "-files", l.files()}, flags...), version: version}
	if flags[len(flags)-1] == "-tls" {
		p.args, p.tls = append(p.args, "-certificate", l.Certificate), true
	}
	return p
}

// running is one start of a server.
type running struct {
	*rounds.Server
	scheme string
}

// start starts a server on its CPU and waits until it can be reached.
func (l *lab) start(ctx context.Context, name string) (*rounds.Server, error) {
	p := l.programs[name]
	return rounds.StartServer(ctx, name, l.Options.ServerCPU, p.command, p.env)
}

// command is what starts the program on an address.
func (p *program) command(address string) []string {
	_, port, _ := net.SplitHostPort(address)
	args := make([]string, len(p.args))
	for i, a := range p.args {
		args[i] = strings.ReplaceAll(a, "$PORT", port)
	}
	return args
}

func (s *running) url(path string) string { return s.scheme + "://" + s.Address + path }
