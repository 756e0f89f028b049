package house

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A room is a part of the house: packages that may import each other downwards, and
// packages of the rooms below.
type room struct {
	name string
	may  []string // other rooms whose packages it may import
	// layers are its packages from the lowest to the highest. One imports only what
	// is in a lower layer.
	layers [][]string
}

// house is all there is: a new package gets its place here. docs/architecture.md says
// what happens where, .golangci.yml repeats the arrows between rooms.
var house = []room{
	{"wire", nil, [][]string{
		{"nano/wire/clock", "nano/wire/grpc", "nano/wire/handoff", "nano/wire/http1", "nano/wire/http1/http1test", "nano/wire/reactor", "nano/wire/sockets", "nano/wire/uring", "nano/wire/websocket"},
		{"nano/wire/http2", "nano/wire/loop", "nano/wire/tlsconn", "nano/wire/websocket/cases"},
		{"nano/wire/simulated", "nano/wire/simulated/shrink"},
		{"nano/wire/simulated/peers"},
	}},
	{"nano", []string{"wire"}, [][]string{
		{"nano/internal/exchange", "nano/internal/netconn", "nano/internal/router", "nano/autocert"},
		{"nano/internal/engine"},
		{"nano"},
		{"nano/internal/simulator"},
		{"nano/internal/simulator/cmd/simulate"},
		{"nano/compress", "nano/grpc", "nano/json", "nano/jwt", "nano/metrics", "nano/middleware", "nano/nanotest", "nano/openapi", "nano/openapi/page", "nano/protobuf", "nano/proxy", "nano/session", "nano/trace", "nano/validate", "nano/ws", "nano/yaml"},
		{"nano/session/redisstore", "nano/openapi/internal/sample"},
		{"nano/grpc/conformance", "nano/openapi/conformance", "nano/examples/conformance", "nano/examples/grpc", "nano/examples/shop", "nano/examples/readme"},
	}},
	{"internal", []string{"wire"}, [][]string{
		{"internal/build", "internal/descriptors", "internal/descriptors/reflection", "internal/freeport", "internal/i18n", "internal/program", "internal/spelling", "internal/visible"},
		{"internal/yamlfile"},
		{"internal", "internal/house", "internal/http2test"},
	}},
	{"subjects", []string{"nano", "nanogate", "internal"}, [][]string{
		{"dyno/subjects/internal/pack"},
		{"dyno/subjects", "dyno/subjects/internal/packer"},
	}},
	{"studies", nil, [][]string{{"dyno/studies"}}},
	{"lab", []string{"wire", "internal", "studies"}, [][]string{
		{"dyno/internal/columns", "dyno/internal/shell", "dyno/evidence", "dyno/stats", "dyno/finding", "dyno/probe", "dyno/probe/pprof", "dyno/machine/speed", "dyno/regression/threshold", "dyno/load/expect", "dyno/load/template", "dyno/load/stamp", "dyno/load/internal/eventstream", "dyno/load/internal/agenda", "dyno/load/internal/kernelstamp", "dyno/load/internal/processors", "dyno/load/profile", "dyno/nullserver", "dyno/scripted", "dyno/archive/s3test", "dyno/subject/link"},
		{"dyno/probe/sampled", "dyno/probe/packets", "dyno/evidence/kernel", "dyno/evidence/goroutines", "dyno/stats/statstest", "dyno/claim", "dyno/steadiness", "dyno/machine", "dyno/load/measure", "dyno/load/protomsg"},
		{"dyno/load/request", "dyno/probe/offcpu"},
		{"dyno/machine/setting", "dyno/load/internal/http3", "dyno/load/rpc"},
		{"dyno/load/internal/engine"},
		{"dyno/load", "dyno/subject/contract"},
		{"dyno/evidence/collect", "dyno/machine/tune", "dyno/machine/busy", "dyno/hlog", "dyno/objective", "dyno/present", "dyno/study", "dyno/subject"},
		{"dyno/service"},
		{"dyno/archive", "dyno/evidence/live", "dyno/calibrate", "dyno/export", "dyno/present/curve", "dyno/subject/check"},
		{"dyno/machine/noise", "dyno/archive/bucket", "dyno/analysis/analysistest", "dyno/explain", "dyno/keeping", "dyno/profiled", "dyno/validity"},
		{"dyno/capacity", "dyno/runner", "dyno/analysis"},
		{"dyno/report", "dyno/published", "dyno/repetitions"},
		{"dyno/compare", "dyno/present/found", "dyno/present/live", "dyno/present/loadtext"},
		{"dyno/baseline", "dyno/history", "dyno/present/loadpage"},
		{"dyno/regression"},
	}},
	{"nanogate", []string{"wire", "nano", "internal"}, [][]string{
		{"nanogate/docs", "nanogate/internal/anytime", "nanogate/internal/commandtest", "nanogate/conformance/acme/acmetest", "nanogate/internal/disktest", "nanogate/internal/driver", "nanogate/internal/payload", "nanogate/internal/request", "nanogate/internal/shared", "nanogate/internal/etcd/embedded", "nanogate/internal/etcd/etcdtest"},
		{"nanogate/internal/bounds", "nanogate/internal/etcd/embedded/serve", "nanogate/internal/filter", "nanogate/internal/rule"},
		{"nanogate/internal/filters", "nanogate/internal/refresh", "nanogate/internal/cel"},
		{"nanogate/internal/config"},
		{"nanogate/internal/acme"},
		{"nanogate/internal/kubernetes/kubernetestest", "nanogate/internal/request/requesttest", "nanogate/internal/transcode/transcodetest", "nanogate/internal/collector", "nanogate/internal/httprule", "nanogate/internal/transcode/jsonpb", "nanogate/internal/translate", "nanogate/internal/grpcweb", "nanogate/internal/secure/securetest", "nanogate/internal/stats", "nanogate/internal/route", "nanogate/internal/secure", "nanogate/internal/limit", "nanogate/internal/observe"},
		{"nanogate/internal/oidc"},
		{"nanogate/internal/guard", "nanogate/internal/otlp"},
		{"nanogate/internal/oidc/oidctest", "nanogate/internal/upstream", "nanogate/internal/middleware", "nanogate/internal/accesslog", "nanogate/internal/cache", "nanogate/internal/fleet", "nanogate/internal/tracing", "nanogate/internal/transcode"},
		{"nanogate/internal/upstream/upstreamtest", "nanogate/internal/redis", "nanogate/internal/canary", "nanogate/internal/health", "nanogate/internal/mirror", "nanogate/internal/openapi", "nanogate/internal/state"},
		{"nanogate/internal/discovery"},
		{"nanogate/internal/dns", "nanogate/internal/wasm/wasmtest"},
		{"nanogate/internal/wasm"},
		{"nanogate/internal/consul", "nanogate/internal/etcd", "nanogate/internal/kubernetes", "nanogate/internal/schema"},
		{"nanogate/internal/reflection", "nanogate/internal/kubernetes/gatewayapi", "nanogate/with/cel", "nanogate/with/consul", "nanogate/with/embeddedetcd", "nanogate/with/otlp", "nanogate/with/redis"},
		{"nanogate/with/grpcreflection", "nanogate/with/kubernetes"},
		{"nanogate/internal/snapshot"},
		{"nanogate/internal/proxy"},
		{"nanogate/internal/metrics"},
		{"nanogate/internal/gateway"},
		{"nanogate/internal/admin"},
		{"nanogate"},
		{"nanogate/serve"},
		{"nanogate/with/etcd"},
		{"nanogate/with/all"},
		{"nanogate/command"},
		{"nanogate/cmd/nanogate", "nanogate/examples/embedded", "nanogate/examples/stamp"},
		{"nanogate/internal/storm", "nanogate/internal/simulator", "nanogate/conformance", "nanogate/conformance/acme", "nanogate/conformance/admin", "nanogate/conformance/gateway", "nanogate/conformance/guard", "nanogate/conformance/openapi"},
		{"nanogate/internal/storm/cmd/storm", "nanogate/internal/simulator/cmd/simulate", "nanogate/internal/simulator/cmd/mutate"},
	}},
	{"cmd", []string{"wire", "internal", "studies", "subjects", "lab"}, [][]string{
		{"dyno/cmd/dyno/internal/cli"},
		{"dyno/cmd/dyno/internal/library"},
		{"dyno/cmd/dyno/internal/archivecmd", "dyno/cmd/dyno/internal/machinecmd", "dyno/cmd/dyno/internal/runcmd", "dyno/cmd/dyno/internal/servicecmd", "dyno/cmd/dyno/internal/subjectcmd"},
		{"dyno/cmd/dyno/internal/loadcmd", "dyno/cmd/dyno/internal/studycmd"},
		{"dyno/cmd/dyno/internal/capacitycmd", "dyno/cmd/dyno/internal/comparecmd", "dyno/cmd/dyno/internal/explaincmd"},
		{"dyno/cmd/dyno", "dyno/cmd/dyno/readme"},
	}},
	{"bench", []string{"wire", "internal", "studies", "subjects", "lab", "nano"}, [][]string{
		{"dyno/bench/closedloop"},
		{"dyno/bench/rounds"},
		{"nanogate/bench", "dyno/bench/generators", "nano/bench", "dyno/bench/statistics", "dyno/bench/truth"},
	}},
}

// linesMost is how long a file is at most, without tests: more than that is more than one
// concept. How many files a package has isn't counted: a limit to that was met by
// merging files that didn't belong together.
const linesMost = 500

// place is where a package stands: its room, and its layer in it.
type place struct{ room, layer int }

// placeOf finds the place of a package.
func placeOf(house []room, name string) (at place, ok bool) {
	for r := range house {
		for l, packages := range house[r].layers {
			if slices.Contains(packages, name) {
				return place{r, l}, true
			}
		}
	}
	return place{}, false
}

// upward says why one package must not import another, or "".
func upward(house []room, from, to string) string {
	a, aKnown := placeOf(house, from)
	b, bKnown := placeOf(house, to)
	switch {
	case !aKnown || !bKnown:
		return "" // said once of the package itself
	case a.room != b.room && !slices.Contains(house[a.room].may, house[b.room].name):
		return fmt.Sprintf("%s doesn't know %s", house[a.room].name, house[b.room].name)
	case a.room == b.room && b.layer >= a.layer:
		return "it is not below"
	}
	return ""
}

// source is what one package's files, apart from its tests, import of this repository.
type source struct {
	lines   map[string]int // by file
	imports map[string]bool
}

// apart are modules of their own that no other package here imports.
var apart = []string{"dyno/subjects/go", "nanogate/internal/kubernetes/conformance"}

// packages reads all packages of the repository, of every system, but for those apart.
func packages(t *testing.T) map[string]*source {
	t.Helper()
	all := map[string]*source{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(apart, name) || entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case path.Ext(name) != ".go" || !entry.Type().IsRegular():
			return nil
		}
		p := all[path.Dir(name)]
		if p == nil {
			p = &source{lines: map[string]int{}, imports: map[string]bool{}}
			all[path.Dir(name)] = p
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil // tests look at a package from wherever they like
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		p.lines[path.Base(name)] = bytes.Count(text, []byte("\n"))
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, one := range file.Imports {
			imported, err := strconv.Unquote(one.Path.Value)
			if err != nil {
				return err
			}
			if below, ok := strings.CutPrefix(imported, home); ok {
				p.imports[below] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 60 || len(all["dyno/runner"].imports) == 0 {
		t.Fatalf("%d packages were found", len(all))
	}
	return all
}

// No package imports one that stands above it, beside it, or in a room it doesn't know;
// every package has a place.
func TestImportsGoDown(t *testing.T) {
	all := packages(t)
	for _, from := range slices.Sorted(maps.Keys(all)) {
		if _, ok := placeOf(house, from); !ok {
			t.Errorf("%s has no place in the house: give it one in internal/house/rooms_test.go", from)
		}
		for _, to := range slices.Sorted(maps.Keys(all[from].imports)) {
			if all[to] == nil {
				t.Errorf("%s imports %s, which is no folder here", from, to)
			}
			if why := upward(house, from, to); why != "" {
				t.Errorf("%s imports %s: %s", from, to, why)
			}
		}
	}
	for _, room := range house {
		for _, name := range slices.Concat(room.layers...) {
			if all[name] == nil {
				t.Errorf("%s has a place in the house, and is no package", name)
			}
		}
	}
}

// No file is a bag.
func TestFilesAreSmall(t *testing.T) {
	for name, p := range packages(t) {
		for file, lines := range p.lines {
			if lines > linesMost {
				t.Errorf("%s/%s has %d lines, of %d at most: take it apart", name, file, lines, linesMost)
			}
		}
	}
}

// The rules see what is wrong.
func TestUpward(t *testing.T) {
	if _, ok := placeOf(house, "lab/new"); ok {
		t.Error("a new package has a place")
	}
	house := []room{
		{"low", nil, [][]string{{"low"}}},
		{"lab", []string{"low"}, [][]string{{"lab/a"}, {"lab/b", "lab/d"}, {"lab/b/c"}}},
		{"other", []string{"low"}, [][]string{{"other"}}},
	}
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"lab/a", "low", true}, {"lab/b", "lab/a", true}, {"lab/b/c", "lab/b", true}, {"other", "low", true},
		{"low", "lab/a", false}, {"lab/a", "lab/b", false}, {"lab/b", "lab/d", false}, {"lab/b", "lab/b/c", false},
		{"other", "lab/a", false}, {"lab/a", "other", false},
	} {
		if why := upward(house, c.from, c.to); (why == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.from, c.to, why)
		}
	}
}
