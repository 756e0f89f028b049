package descriptors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
