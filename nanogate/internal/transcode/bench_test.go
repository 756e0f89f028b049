package transcode

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nanogate/internal/config"
)

// What nanogate/bench -what transcode has a gateway do.
const (
	users = `service Users { rpc Update(User) returns (User) { option (google.api.http) = { post: "/v1/users/{id}" body: "*" }; } }
		message User { int64 id = 1; string name = 2; string email = 3; Role role = 4; repeated string tags = 5; google.protobuf.Timestamp created = 6; Address address = 7; }
		enum Role { READER = 0; WRITER = 1; }
		message Address { string street = 1; string town = 2; int32 number = 3; }`
	usersLine = "POST /v1/users/7"
	user      = `{"name":"Ann Example","email":"ann@example.com","role":"WRITER","tags":["first","second"],"created":"2026-01-02T03:04:05Z","address":{"street":"Long Street","town":"Example","number":17}}`
)

// updated is the response to that, with its prefix.
func updated(t testing.TB, c *Call) []byte {
	m := dynamicpb.NewMessage(c.Binding.Method.Desc.Output())
	if err := protojson.Unmarshal([]byte(user), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return append(grpc.AppendPrefix(nil, len(b), false), b...)
}

// What a request and its response take, and what its parts do: each the way that it goes,
// and the long one, by protobuf's library.
func BenchmarkCall(b *testing.B) {
	a := compiled(b, users, config.GRPCJSON{})
	r := asked(b, usersLine, "")
	c, reply := a.Begin(r, true)
	if reply != nil {
		b.Fatalf("%s", reply.Body)
	}
	response, body := updated(b, c), []byte(user)
	message := response[grpc.PrefixLen:]
	var out []byte
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"whole", func() error {
			c, _ := a.Begin(r, true)
			if _, err := c.Request(body, true); err != nil {
				return err
			}
			c.Restart()
			if _, err := c.Response(response); err != nil {
				return err
			}
			_, err := c.Whole()
			return err
		}},
		{"request", func() (err error) { out, err = c.encode(out[:0], body); return err }},
		{"request, the long way", func() (err error) { out, err = c.dynamic(out[:0], body); return err }},
		{"response", func() error { c.text = c.text[:0]; return c.write(message) }},
		{"response, the long way", func() error { c.text = c.text[:0]; return c.dynamicJSON(message) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := part.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
