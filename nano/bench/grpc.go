//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/nano/wire/grpc"
)

// gRPC: the subjects' service of dyno/subjects/echo/echo.proto, loaded by h2load, which sends a
// prepared body and can't tell a status in trailers: each trial looks at one itself.

const nanoGRPC = "nano/grpc"

// grpcSubjects are the servers, by the names in tables.
var grpcSubjects = map[string]string{
	nanoGRPC: "go/nano-grpc", "grpc-go": "go/grpc-go", "connect-go": "go/connect-go", "tonic": "rust/tonic",
}

// conversationMessages is how many messages a stream has, in each direction.
const conversationMessages = 100

// rpc is a call: the method, and how many messages go there and back.
type rpc struct {
	method   string
	messages int
}

var (
	unaryCall    = rpc{"Unary", 1}
	conversation = rpc{"BidiStream", conversationMessages}
)

// message is a Message with the text "Hello, World!", in its wire format (protobuf.dev,
// field 1, LEN), behind gRPC's prefix.
func message() []byte {
	m := "\x0a\x0dHello, World!"
	return append(grpc.AppendPrefix(nil, len(m), false), m...)
}

func (r rpc) body() []byte { return bytes.Repeat(message(), r.messages) }

// grpcCampaign holds nano/grpc to its peers. A request is a call; of a conversation it is
// all its messages.
func grpcCampaign() campaign {
	c := campaign{
		Name: "grpc", Seconds: 2, Around: aroundClosed, Aside: true,
		Question: fmt.Sprintf("What CPU time does a call with a message of 13 letters take the server over cleartext HTTP/2, with so many calls on each of so many connections; and a stream that echoes %d such messages?", conversationMessages),
		Show:     rounds.Summary{Columns: costColumns()},
	}
	var levels []string
	add := func(level string, r rpc, s streamed) {
		levels = append(levels, level)
		for _, server := range []string{nanoGRPC, "grpc-go", "connect-go", "tonic"} {
			c.Arms = append(c.Arms, arm{Server: server, Level: level, Measure: r.over(s)})
		}
	}
	for _, s := range streamedLoads {
		add("unary, "+s.String(), unaryCall, s)
	}
	several := streamedLoads[1]
	add(fmt.Sprintf("%d messages, %s", conversationMessages, several), conversation, several)
	compared := func(against string, wanted float64, levels ...string) {
		c.Show.Comparisons = append(c.Show.Comparisons, rounds.Comparison{Figure: cpuFigure, Of: nanoGRPC, Against: []string{against}, Wanted: wanted, Levels: levels})
	}
	last := len(levels) - 1
	compared("grpc-go", 0.25, levels...)
	compared("tonic", 1.0, levels[:last]...)
	compared("tonic", 0, levels[last])
	compared("connect-go", 0, levels...)
	return c
}

// over puts the call on the server, by h2load, and takes what it cost the server.
func (r rpc) over(s streamed) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		url := t.up.url("/dyno.echo.v1.Echo/" + r.method)
		if err := r.try(ctx, url); err != nil {
			return err
		}
		file := filepath.Join(t.lab.Dir, r.method+".grpc")
		if err := os.WriteFile(file, r.body(), 0o600); err != nil {
			return err
		}
		return t.cost(ctx, s.load(url, "-d", file, "-H", "content-type: "+grpc.ContentType, "-H", "te: trailers"))
	}
}

// try makes one call and looks at all of its response.
func (r rpc) try(ctx context.Context, url string) error {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(r.body()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", grpc.ContentType)
	request.Header.Set("Te", "trailers")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return r.check(response.StatusCode, response.Header.Get(grpc.FieldStatus)+response.Trailer.Get(grpc.FieldStatus), got)
}

// check says what is wrong with a response.
func (r rpc) check(status int, code string, got []byte) error {
	switch c, ok := grpc.ParseCode([]byte(code)); {
	case status != http.StatusOK:
		return fmt.Errorf("%s: the status is %d", r.method, status)
	case !ok || c != grpc.OK:
		return fmt.Errorf("%s has the status %s (%q)", r.method, c, strings.TrimSpace(code))
	case !bytes.Equal(got, r.body()):
		return fmt.Errorf("%s: the response has %d bytes that are not the %d of its echo", r.method, len(got), len(r.body()))
	}
	return nil
}
