//go:build linux

package simulator

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"dyno.example/nano/wire/simulated/peers"
)

// Calls over gRPC, which are content in messages and end with a status, and over gRPC-Web,
// where that status is the last message.

// calls reports whether its requests are calls.
func (r *Route) calls() bool { return r.Kind == "grpc" || r.Kind == "web" }

// needsHTTP2 reports whether only endpoints over HTTP/2 can be asked.
func (r *Route) needsHTTP2() bool { return r.calls() || r.json() }

// messages is content as messages of gRPC, of at most so many bytes each.
func messages(all []byte, size int) []byte {
	out := make([]byte, 0, len(all)+5*(len(all)/size+1))
	for first := true; first || len(all) > 0; first = false {
		one := all[:min(size, len(all))]
		all = all[len(one):]
		out = append(out, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(len(one)))
		out = append(out, one...)
	}
	return out
}

// bodyOf is the body of a request, and arrivesOf what an endpoint gets of it.
func bodyOf(r *Request) []byte {
	if r.Route.json() {
		return askedJSON(r)
	}
	b := peers.Content(r.ID, 0, r.Body)
	if r.Route.calls() {
		return messages(b, 5000)
	}
	return b
}

func arrivesOf(r *Request, body []byte) []byte {
	if r.Route.json() {
		return askedMessage(r)
	}
	if r.Nonsense == nonsenses {
		return []byte("hello") // behind which it isn't right any more
	}
	return body
}

// contentOf is that of its response by an endpoint.
func contentOf(r *Request, by int) []byte {
	if r.Route.json() {
		return saidMessage(r, by)
	}
	b := peers.Content(r.ID, by, r.Want)
	if r.Route.calls() {
		return messages(b, 7000)
	}
	return b
}

// called is told when the response to a call is whole. status is its own, or "" if that is to be
// in what follows the messages.
func (j *judge) called(trailers []byte) {
	status := j.grpc
	for line := range bytes.Lines(trailers) {
		if value, ok := bytes.CutPrefix(line, []byte("grpc-status:")); ok {
			status = string(bytes.TrimSpace(value))
		}
	}
	if status == "" && j.x.Route.Kind == "web" {
		status = j.webStatus()
	}
	wrong := j.content.Ended()
	switch {
	case status == "0" && j.own:
		j.w.violate("foreign-response", "a status of 0 that comes from no upstream to %s", j.x)
	case status == "0" && wrong != "":
		j.w.violate("response-body", "%s, by %s: %s", wrong, j.by.Name, j.x)
	case status == "":
		j.w.violate("no-status", "%d bytes of messages, %q, own %t, to %s", j.content.At, j.tail, j.own, j.x)
	case status != "0" && j.content.Wrong != "":
		j.w.violate("response-body", "%s, and then status %s: %s", j.content.Wrong, status, j.x)
	case status != "0" && !j.excused() && !j.x.Route.refuses() && j.x.refusedBy() == 0:
		j.w.violate("unexplained-grpc", "%s, %q: %s", status, trailers, j.x)
	}
}

// takeWeb takes content over gRPC-Web: messages, and behind any of them the one that ends all.
func (j *judge) takeWeb(p []byte) {
	for f := &j.content; len(p) > 0; {
		if j.own || len(j.tail) > 0 || f.Wrong != "" || f.At == j.next && (p[0] == 0x80 || f.At+5 > len(f.Want)) {
			j.tail = append(j.tail, p...)
			return
		}
		if f.At == j.next {
			j.next += 5 + int(binary.BigEndian.Uint32(f.Want[f.At+1:]))
		}
		n := min(len(p), j.next-f.At)
		f.Take(p[:n])
		p = p[n:]
	}
}

// webStatus is the status in the message that ends a response over gRPC-Web, which is all that
// follows the others; "" if it isn't right.
func (j *judge) webStatus() string {
	b := j.tail
	if len(b) < 5 || b[0] != 0x80 || int(binary.BigEndian.Uint32(b[1:])) != len(b)-5 {
		return ""
	}
	for line := range bytes.Lines(b[5:]) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.ToLower(name)) == "grpc-status" {
			if value = bytes.TrimSpace(value); len(value) > 0 {
				if _, err := strconv.Atoi(string(value)); err == nil {
					return string(value)
				}
			}
		}
	}
	return ""
}

// refuses reports whether its requests may fail for what is configured.
func (r *Route) refuses() bool {
	return r.has("concurrency", "limit", "use", "fault", "shed", "breaker") || r.shared()
}
