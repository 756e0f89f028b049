package rpc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/dyno/load/request"
)

// tree writes files below a folder of the test's.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var users = map[string]string{
	"api/user.proto": `syntax = "proto3"; package users; import "common/id.proto"; import "google/protobuf/timestamp.proto";
		message User { common.Id id = 1; google.protobuf.Timestamp since = 2; }
		service Users { rpc Get(common.Id) returns (User); rpc List(common.Id) returns (stream User); }`,
	"api/common/id.proto": `syntax = "proto3"; package common; message Id { int64 n = 1; }`,
	"api/broken.proto":    "syntax = \"proto3\";\nmessage {\n",
	"api/lost.proto":      "syntax = \"proto3\";\nimport \"no/where.proto\";\n",
	"text.bin":            "no descriptors",
}

func TestRead(t *testing.T) {
	dir := tree(t, users)
	in := func(name string) string { return filepath.Join(dir, name) }
	set := in("set.binpb")
	services, err := Read(t.Context(), &request.Schema{Protos: []string{in("api/user.proto")}})
	if err != nil {
		t.Fatal(err)
	}
	file := services.list[0].ParentFile()
	whole := &descriptorpb.FileDescriptorSet{}
	for _, fd := range []int{0, 1} {
		whole.File = append(whole.File, protodesc.ToFileDescriptorProto(file.Imports().Get(fd).FileDescriptor))
	}
	own := protodesc.ToFileDescriptorProto(file)
	for name, files := range map[string][]*descriptorpb.FileDescriptorProto{set: append(whole.File, own), in("half.binpb"): {own}} {
		b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		schema request.Schema
		method string
		wants  string // what is wrong; "" if nothing is
	}{
		{"file", request.Schema{Protos: []string{in("api/user.proto")}}, "users.Users/Get", ""},
		{"file below a folder of imports", request.Schema{Protos: []string{in("api/user.proto")}, ImportDirs: []string{in("api")}}, "users.Users/List", ""},
		{"set", request.Schema{Descriptors: set}, "users.Users/Get", ""},
		{"imports start elsewhere", request.Schema{Protos: []string{in("api/user.proto")}, ImportDirs: []string{dir}}, "users.Users/Get", "imports are looked for in " + dir},
		{"import that is nowhere", request.Schema{Protos: []string{in("api/lost.proto")}}, "", "name the folder they start from with --import-path"},
		{"no file", request.Schema{Protos: []string{in("api/none.proto")}}, "", "no such file"},
		{"a folder", request.Schema{Protos: []string{in("api")}}, "", "is a folder; name the .proto file in it"},
		{"wrong syntax", request.Schema{Protos: []string{in("api/broken.proto")}}, "", "broken.proto:2:9"},
		{"no set", request.Schema{Descriptors: in("none.binpb")}, "", "the descriptor set:"},
		{"something else than a set", request.Schema{Descriptors: in("text.bin")}, "", "is no FileDescriptorSet; make one with: protoc --include_imports"},
		{"set without its imports", request.Schema{Descriptors: in("half.binpb")}, "", "a descriptor set needs its imports too: protoc --include_imports"},
		{"both", request.Schema{Protos: []string{"a"}, Descriptors: "b"}, "", "give one of them"},
		{"imports of nothing", request.Schema{ImportDirs: []string{"a"}}, "", "none is given"},
		{"another service", request.Schema{Descriptors: set}, "users.Usres/Get", "did you mean users.Users?"},
		{"another method", request.Schema{Descriptors: set}, "users.Users/Gte", `service users.Users has no method "Gte"; did you mean Get? there are Get, List`},
		{"nothing like it", request.Schema{Descriptors: set}, "users.Users/Completely", "there are Get, List"},
	} {
		services, err := Read(t.Context(), &c.schema)
		if err == nil {
			_, err = services.Method(c.method)
		}
		if c.wants == "" && err != nil || c.wants != "" && (err == nil || !strings.Contains(err.Error(), c.wants)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wants)
		}
	}
}
