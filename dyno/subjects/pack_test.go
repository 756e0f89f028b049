package subjects

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/subjects/internal/pack"
)

func TestPackIsFresh(t *testing.T) {
	fresh, err := pack.Pack(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, packed) {
		t.Fatal("subjects.zip is not what the folders hold: run go generate ./subjects")
	}
}

func TestNames(t *testing.T) {
	got, err := Names()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"c/h2o", "c/haproxy", "c/libmicrohttpd", "c/nginx", "clojure/ring", "cpp/beast", "cpp/envoy", "crystal/http", "elixir/cowboy", "erlang/cowboy", "erlang/workload", "go/accesslog", "go/caddy",
		"go/chi", "go/connect-go", "go/echo", "go/etcd", "go/etcd-watch", "go/fasthttp", "go/fiber", "go/gin", "go/gin-gateway", "go/gnet", "go/grpc-go",
		"go/hertz", "go/keyvalue", "go/localcache", "go/nano", "go/nano-grpc", "go/nano-mounted", "go/nanogate", "go/nethttp", "go/nethttp-gateway", "go/nethttp-proxy", "go/shop", "go/shop-gin", "go/shop-journey", "go/store", "go/upstream",
		"go/workload", "haskell/scotty", "java/vertx", "java/workload", "kotlin/ktor", "lisp/hunchentoot", "lua/nginx", "node/express", "node/fastify", "node/grpc-js",
		"ocaml/cohttp", "perl/mojolicious", "php/fpm", "python/fastapi", "python/granian", "python/workload", "r/plumber", "racket/web-server", "ruby/sinatra",
		"rust/actix-web", "rust/axum", "rust/tonic", "scala/pekko-http", "typescript/bun", "typescript/deno",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFSHoldsWhatABuildNeeds(t *testing.T) {
	fsys, err := FS()
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(fsys, "routes.yaml", "go/dynoprobe/go.mod", "go/gin/go.sum", "nano/go.mod", "nano/app.go", "nano/grpc/go.mod", "nano/grpc/server.go", "nano/jwt/jwt.go", "nanogate/go.mod", "go/nanogate/main.go", "nanogate/command/main.go", "nanogate/internal/admin/page.html", "internal/go.mod", "internal/spelling/spelling.go"); err != nil {
		t.Error(err)
	}
	names, err := Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := complete(fsys, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// complete looks for what the manifest of the subject in dir refers to.
func complete(fsys fs.FS, dir string) error {
	data, err := fs.ReadFile(fsys, path.Join(dir, "subject.yaml"))
	if err != nil {
		return err
	}
	var manifest struct {
		Name   string
		Routes string
		CPUs   string
		Build  struct{ Inputs []string }
	}
	if err := yaml.Unmarshal(data, &manifest); err != nil {
		return err
	}
	if manifest.Name != dir {
		return fmt.Errorf("the manifest's name is %q", manifest.Name)
	}
	if manifest.CPUs == "" {
		return errors.New("the manifest does not say how it uses its CPUs")
	}
	for _, ref := range append(manifest.Build.Inputs, manifest.Routes) {
		if _, err := fs.Stat(fsys, path.Join(dir, ref)); err != nil {
			return err
		}
	}
	return nil
}
