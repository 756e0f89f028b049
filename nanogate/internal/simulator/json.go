//go:build linux

package simulator

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"dyno.example/nano/wire/simulated/peers"
	"dyno.example/nanogate/internal/payload"
)

// Requests in JSON that the gateway makes calls over gRPC of: Say(route, token, text) gives
// (token, by, text). Both sides are compared byte by byte.

// json reports whether its requests are of that kind.
func (r *Route) json() bool { return r.Kind == "json" }

const sayPath = "/world.World/Say"

func textOf(id, by, n int) string { return hex.EncodeToString(peers.Content(id, by, n/2)) }

// askedJSON is the body of a request, and askedMessage what an endpoint gets of it.
func askedJSON(r *Request) []byte { return []byte(`{"text":"` + textOf(r.ID, 0, r.Body) + `"}`) }

func askedMessage(r *Request) []byte {
	return message(said{3, textOf(r.ID, 0, r.Body)}, said{1, r.Route.Name}, said{2, strconv.Itoa(r.ID)}) // what the path gives comes last
}

// saidMessage is the content of a response, and saidJSON what its client gets of it.
func saidMessage(r *Request, by int) []byte {
	return message(said{1, strconv.Itoa(r.ID)}, said{2, strconv.Itoa(by)}, said{3, textOf(r.ID, by, r.Want)})
}

func saidJSON(r *Request, by int) []byte {
	b := fmt.Appendf(nil, `{"token":"%d","by":"%d"`, r.ID, by)
	if text := textOf(r.ID, by, r.Want); text != "" {
		b = append(append(append(b, `,"text":"`...), text...), '"')
	}
	return append(b, "}\n"...)
}

// said is a field of a message.
type said struct {
	number protowire.Number
	text   string
}

// message is a message of gRPC with such fields, of which those that are empty are left out.
func message(fields ...said) []byte {
	b := make([]byte, 5)
	for _, f := range fields {
		if f.text != "" {
			b = protowire.AppendString(protowire.AppendTag(b, f.number, protowire.BytesType), f.text)
		}
	}
	n := len(b) - 5
	copy(b, []byte{0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	return b
}

// describe writes what protoc would of the service into a folder of its own, if there is a
// route that needs it. done removes it.
func (sc *Scenario) describe() (folder string, done func(), err error) {
	if !slices.ContainsFunc(sc.Routes, func(r *Route) bool { return r.json() || r.has("keys", "sticky") }) {
		return "/", func() {}, nil
	}
	b, err := proto.Marshal(payload.Describe("world", "World"))
	if err != nil {
		return "", nil, err
	}
	if folder, err = os.MkdirTemp("", "simulator-"); err != nil {
		return "", nil, err
	}
	if err = os.WriteFile(filepath.Join(folder, "api.pb"), b, 0o600); err == nil {
		err = secrets(folder)
	}
	return folder, func() { os.RemoveAll(folder) }, err
}
