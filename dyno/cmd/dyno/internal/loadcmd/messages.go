package loadcmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/internal/i18n"
)

// messageFlags are the flags of loads over WebSockets and of server-sent events.
type messageFlags struct {
	message    string
	binary     bool
	responses  string
	sse        bool
	stamp      string
	stampClock string
	silence    time.Duration
	most       int64
}

// defaultMessage is sent over WebSockets if nothing else is asked for.
const defaultMessage = "0123456789abcdef"

// registerMessage registers those that calls over gRPC have too.
func (f *messageFlags) registerMessage(flags *pflag.FlagSet) {
	flags.StringVar(&f.message, "message", "", fmt.Sprintf("message to send, a template, or @FILE: over ws:// a text (default %q), over grpc:// JSON (default {})", defaultMessage))
	flags.StringVar(&f.responses, "answers", string(request.OneResponse), "ws://: one (the next message that comes is the response) or none (the server sends on its own: count what comes); grpc://, --unit message: the number of responses to each")
}

// register registers the others.
func (f *messageFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.binary, "binary", false, "ws://: send binary messages, not text")
	flags.BoolVar(&f.sse, "sse", false, "listen to the URL's server-sent events, on all connections")
	flags.StringVar(&f.stamp, "stamp", "", "where the server says when it sent an event: json:.PATH, id or regexp:EXPRESSION (its first group)")
	flags.StringVar(&f.stampClock, "stamp-clock", string(stamp.UnixNano), "what the stamp counts: unix-ns, unix-us, unix-ms, unix-s (this machine's wall clock) or monotonic-ns (its CLOCK_MONOTONIC)")
	cli.DurationVar(flags, &f.silence, "silence", "", 0, "--sse: give a stream up on which nothing came for so long (default: never)")
	flags.Int64Var(&f.most, "max-message", 0, "longest message or event to take, in bytes (default 16 MiB, of events 1 MiB)")
}

// apply puts the flags into a spec whose target and requests are known.
func (f *messageFlags) apply(spec *load.Spec, single *Flags) error {
	scheme, _, _ := strings.Cut(spec.Target, "://")
	sockets := scheme == "ws" || scheme == "wss"
	switch {
	case isGRPC(spec.Target):
		return f.refuseOthers()
	case sockets && f.sse:
		return i18n.Errorf("loadcmd.sse-needs-http-url", "--sse listens to events over HTTP: write the URL with http instead of %s", scheme)
	case sockets:
		return f.sockets(spec, single)
	case f.message != "" || f.binary || f.responses != string(request.OneResponse):
		return i18n.Errorf("loadcmd.flags-of-messages", "--message, --binary and --answers are of WebSockets and gRPC: write the URL with ws://, wss://, grpc:// or grpcs://")
	case f.sse:
		spec.Link.Events = &request.Events{Stamp: f.where(), Silence: f.silence, MaxEvent: f.most}
	case f.stamp != "" || f.silence != 0 || f.most != 0:
		return i18n.Errorf("loadcmd.flags-of-event-streams", "--stamp, --silence and --max-message are of server-sent events (--sse) and WebSockets (ws://)")
	}
	return nil
}

// refuseOthers refuses, for calls over gRPC, what is of WebSockets and events only.
func (f *messageFlags) refuseOthers() error {
	if f.binary || f.sse || f.stamp != "" || f.silence != 0 || f.most != 0 {
		return i18n.Errorf("loadcmd.flags-not-of-grpc", "--binary, --sse, --stamp, --silence and --max-message are of WebSockets and server-sent events, not of gRPC")
	}
	return nil
}

// sockets makes the spec one of WebSockets.
func (f *messageFlags) sockets(spec *load.Spec, single *Flags) error {
	w := &request.WebSocket{Responses: request.Responses(f.responses), Binary: f.binary, MaxMessage: f.most, Stamp: f.where()}
	spec.Link.WebSocket = w
	switch {
	case f.silence != 0:
		return i18n.Errorf("loadcmd.silence-needs-sse", "--silence is of server-sent events (--sse)")
	case single.body != "":
		return i18n.Errorf("loadcmd.websocket-takes-messages", "what goes over a WebSocket are messages: give --message instead of --body")
	case single.request.file != "" || single.request.targets != "":
		if f.message != "" {
			return i18n.Errorf("loadcmd.message-and-request-file", "--message and the file of requests both say what to send; give one of them")
		}
		return nil
	}
	message, err := readBody("--message", f.message)
	if err != nil {
		return err
	}
	if message == "" && !w.Pushes() {
		message = defaultMessage
	}
	spec.Requests[0].Body = message
	return nil
}

// where is what --stamp says; nil if nothing.
func (f *messageFlags) where() *request.Stamp {
	if f.stamp == "" {
		return nil
	}
	return &request.Stamp{Where: f.stamp, Clock: stamp.Clock(f.stampClock)}
}
