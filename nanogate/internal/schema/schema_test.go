package schema

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/transcode/transcodetest"
)

// What was known last stays whatever is found out later, and what is the same is the same
// object.
func TestLook(t *testing.T) {
	set := func(rule string) *descriptorpb.FileDescriptorSet {
		return transcodetest.Set(t, map[string]string{"a.proto": `syntax = "proto3"; package a; import "google/api/annotations.proto";
			message M { string m = 1; } service S { rpc Do(M) returns (M) { option (google.api.http) = { get: "` + rule + `" }; } }`})
	}
	var found *descriptorpb.FileDescriptorSet
	var failed error
	s := &Source{rules: &config.GRPCJSON{Most: 1 << 20}, ask: func(context.Context) (*descriptorpb.FileDescriptorSet, string, error) { return found, "here", failed }}
	s.status.Store(&Status{From: "reflection"})
	for _, c := range []struct {
		what   string
		set    *descriptorpb.FileDescriptorSet
		err    error
		known  string // path of the API's method; "": nothing is known
		wrong  string
		sameAs bool // the API is the one before
	}{
		{"nothing listens", nil, errors.New("connection refused"), "", "connection refused", true},
		{"it is told", set("/v1/{m}"), nil, "/v1/{m}", "", false},
		{"it is told again", set("/v1/{m}"), nil, "/v1/{m}", "", true},
		{"nothing is new", nil, nil, "/v1/{m}", "", true},
		{"it can't be kept", set("/v1/{n}"), nil, "/v1/{m}", `a.proto: a.S/Do: GET /v1/{n}: {n}: a.M has no field "n"`, true},
		{"nothing listens any more", nil, errors.New("connection refused"), "/v1/{m}", "connection refused", true},
		{"it is another one", set("/v2/{m}"), nil, "/v2/{m}", "", false},
	} {
		before := s.API()
		found, failed = c.set, c.err
		err := s.look(t.Context())
		status := s.Status()
		if (err == nil) != (c.wrong == "") || !strings.HasPrefix(status.Err, c.wrong) || status.Known != (c.known != "") || (s.API() == before) != c.sameAs {
			t.Errorf("%s: %v, %+v", c.what, err, status)
		}
		if api := s.API(); api != nil && api.Methods[0].Bindings[0].Template.Text != c.known || api == nil && c.known != "" {
			t.Errorf("%s: %+v", c.what, api)
		}
		if d := s.Document(); (d != nil) != (c.known != "") || d != nil && !strings.Contains(string(d.Body), `"`+c.known+`"`) {
			t.Errorf("%s: %+v", c.what, d)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if before := s.Status(); s.look(ctx) == nil || s.Status() != before {
		t.Error("what came of it after the end counts")
	}
}
