package descriptors

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

func TestReadFile(t *testing.T) {
	write := func(b []byte) string {
		path := filepath.Join(t.TempDir(), "api.pb")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("a.proto"), Syntax: proto.String("proto3"), Dependency: []string{"google/protobuf/timestamp.proto"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	lacks, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("a.proto"), Syntax: proto.String("proto3"), Dependency: []string{"b.proto"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"good":             {write(good), ""},
		"imports missing":  {write(lacks), "a descriptor set needs its imports too: protoc --include_imports"},
		"no set":           {write([]byte("syntax = \"proto3\";")), "is no FileDescriptorSet; make one with: protoc --include_imports --descriptor_set_out=api.pb FILE.proto"},
		"empty":            {write(nil), "is no FileDescriptorSet"},
		"a folder":         {t.TempDir(), "is no file of at most 64 MiB"},
		"an endless one":   {"/dev/zero", "is no file of at most 64 MiB"},
		"one that is gone": {"/nowhere.pb", "no such file"},
	} {
		set, err := ReadFile(c.path)
		if err == nil {
			_, err = Link(set, c.path)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A server is asked for one service, or all; one it doesn't have brings all along.
func TestReflect(t *testing.T) {
	serve := func(reflects bool) *grpc.ClientConn {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := grpc.NewServer()
		grpc_health_v1.RegisterHealthServer(s, health.NewServer())
		if reflects {
			reflection.Register(s)
		}
		go s.Serve(ln)
		t.Cleanup(s.Stop)
		conn, err := grpc.NewClient("passthrough:///"+ln.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	conn := serve(true)
	for _, services := range [][]string{nil, {"grpc.health.v1.Health"}, {"no.Such"}} {
		set, err := Reflect(ctx, conn, services)
		if err != nil {
			t.Fatal(err)
		}
		files, err := Link(set, "the server")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.FindDescriptorByName("grpc.health.v1.Health.Check"); err != nil {
			t.Errorf("%v: %v", services, err)
		}
	}
	if _, err := Reflect(ctx, serve(false), nil); !errors.Is(err, ErrOff) {
		t.Errorf("%v, want %v", err, ErrOff)
	}
}
