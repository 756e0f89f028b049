//go:build linux

package storm

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"dyno.example/nanogate/internal/payload"
)

// The service that gets requests in JSON: Say(route, token, text) returns (token, by,
// text).

// writeDescriptors writes what protoc would of the service.
func writeDescriptors(file string) error {
	b, err := proto.Marshal(payload.Describe("storm", "Storm"))
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// stringsOf reads a message that has strings only.
func stringsOf(b []byte) (fields [4]string, ok bool) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || kind != protowire.BytesType || number > 3 {
			return fields, false
		}
		v, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return fields, false
		}
		fields[number] = string(v)
		b = b[n+m:]
	}
	return fields, true
}

// handleJSON does a request that the gateway has made a call of.
func (e *endpoint) handleJSON(x served, r *request, one *run) {
	defer close(one.done)
	at := func(faults ...string) bool {
		for _, f := range faults {
			if one.fault == f {
				e.s.count("fault " + f)
				return !x.fail(f)
			}
		}
		return false
	}
	if at("refused", "goaway0", "rst-head", "close-head", "cut-head") {
		return
	}
	b, err := io.ReadAll(io.LimitReader(x, 1<<20))
	one.got = len(b)
	if err != nil {
		return
	}
	one.whole = true
	list, rest := messagesOf(b)
	var asked [4]string
	ok := len(list) == 1 && len(rest) == 0
	if ok {
		asked, ok = stringsOf(list[0][5:])
	}
	if want := text(r.token, r.size); !ok || asked[2] != r.token || asked[3] != want {
		e.s.violate("json-request", "%s got %d messages and %d bytes more, token %q, %d bytes of text, of %d: %s", e.name, len(list), len(rest), asked[2], len(asked[3]), len(want), r)
	}
	if at("rst-body", "close-body", "goaway", "graceful") {
		return
	}
	var said []byte
	for i, v := range []string{r.token, e.name, text(r.token+e.name, r.want)} {
		said = protowire.AppendTag(said, protowire.Number(i+1), protowire.BytesType)
		said = protowire.AppendString(said, v)
	}
	if x.head(200, []field{{"content-type", "application/grpc"}, {"x-token", r.token}, {"x-by", e.name}}, -1) != nil {
		return
	}
	if at("rst-response", "close-response", "cut-response") {
		return
	}
	n := len(said)
	if _, err := x.Write(append([]byte{0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, said...)); err != nil {
		return
	}
	if x.end([]field{{"grpc-status", "0"}}) != nil {
		return
	}
	one.responded = true
	at("close-after", "cut-after", "goaway-after")
}

// jsonEnded compares a complete response in JSON with what should be in it.
func (j *judge) jsonEnded(status int, body []byte) {
	j.status = status
	j.s.count(fmt.Sprintf("%s %d", j.r.client, status))
	if status != 200 {
		if why := j.unexplained(); why != "" {
			j.s.violate(fmt.Sprintf("unexplained-%d", status), "%s: %.300s: %s", why, body, j.r)
		}
		return
	}
	var said struct{ Token, By, Text string }
	if err := json.Unmarshal(body, &said); err != nil {
		j.s.violate("json-response", "%v in %d bytes: %s", err, len(body), j.r)
		return
	}
	if said.Token != j.r.token {
		j.s.violate("foreign-response", "the response to %q by %s came to %s", said.Token, said.By, j.r)
		return
	}
	if said.Text != text(said.Token+said.By, j.r.want) {
		j.s.violate("response-body", "other text, %d bytes of %d, by %s: %s", len(said.Text), j.r.want, said.By, j.r)
	}
}
