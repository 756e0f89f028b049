//go:build linux

package simulator

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"dyno.example/nanogate/internal/payload"
)

// judge holds a response against its request, as its client takes it in.
type judge struct {
	w       *world
	x       *exchange
	status  int
	of      *exchange // whose response it is, by what it says
	by      *Endpoint
	content payload.Follower
	own     bool   // it is the gateway's own
	grpc    string // the status of a call, if the head has it
	said    []byte
	tail    []byte // what follows the messages over gRPC-Web
	next    int    // where the next message begins
}

// bare is whether there is no content whatever the head says.
func (j *judge) bare() bool { return j.x.Method == "HEAD" || j.status == 304 || j.status == 204 }

// head looks at the head of the response; fields are found by get.
func (j *judge) head(status int, get func(name string) []byte) {
	w, x := j.w, j.x
	j.status = status
	token := get("x-token")
	if x.Route.calls() {
		j.grpc = string(get("grpc-status"))
	}
	if token == nil {
		if j.own = true; status == 200 && j.grpc == "" && x.Route.Kind != "web" {
			w.violate("foreign-response", "200 that comes from no upstream to %s", x)
		}
		return
	}
	if j.of = x; string(token) != strconv.Itoa(x.ID) {
		j.of = w.find(token)
		if j.of == nil || x.Route.Kind != "cache" || j.of.Path != x.Path {
			w.violate("foreign-response", "the response to %q came to %s", token, x)
			j.of = x
			j.own = true
			return
		}
	}
	number, _ := strconv.Atoi(string(get("x-by")))
	if number <= 0 || number >= len(w.endpoints) {
		w.violate("foreign-response", "by %q, to %s", get("x-by"), x)
		j.own = true
		return
	}
	j.by = w.endpoints[number]
	if j.of == x {
		w.sits(x, j.by, get("set-cookie"))
	}
	if id := get("x-request-id"); x.Route.has("request-id") && x.Route.Kind == "plain" && x.Fields != nil && !x.attacked && string(id) != requestID(x.Request) {
		w.violate("request-id", "%q to %s", id, x)
	}
	if !x.Route.goes(j.by.Group) {
		w.violate("wrong-upstream", "%s responded to %s", j.by.Name, x)
	}
	if status != 200 && status != 500 && !(status == 101 && x.Route.tunnels()) && !(status == 304 && x.Route.Kind == "cache") {
		w.violate("wrong-status", "%d of %s for %s", status, j.by.Name, x)
	}
	if j.content.Want = contentOf(j.of.Request, number); x.Route.json() {
		j.content.Want = saidJSON(j.of.Request, number)
	}
	if length := get("content-length"); length != nil && !x.Route.calls() && !x.Route.tunnels() && !x.Route.json() && string(length) != strconv.Itoa(j.of.Want) {
		w.violate("wrong-length", "Content-Length %s, not %d, for %s", length, j.of.Want, x)
	}
}

// take takes content.
func (j *judge) take(p []byte) {
	if len(p) == 0 {
		return
	}
	if j.bare() {
		j.w.violate("content", "%d bytes of content where there is none to be: %s", len(p), j.x)
	} else if j.x.Route.Kind == "web" {
		j.takeWeb(p)
	} else if j.own {
		j.said = append(j.said, p[:min(len(p), 200)]...)
	} else {
		j.content.Take(p)
	}
}

// ended is told when the response is whole; trailers are its lines, or nil.
func (j *judge) ended(trailers []byte) {
	w, x := j.w, j.x
	if x.over {
		w.violate("two-responses", "to %s", x)
	}
	w.finishes(x)
	w.count(fmt.Sprintf("%d", j.status))
	if x.Route.calls() && j.status == 200 {
		j.called(trailers)
		return
	}
	if x.Route.tunnels() && !j.own && j.status == 500 {
		return // as the endpoint says, and none has become of it
	}
	if j.own || x.Route.tunnels() {
		if why := j.unexplained(); why != "" {
			w.violate(fmt.Sprintf("unexplained-%d", j.status), "%s, it says %.300q: %s", why, j.said, x)
		}
		return
	}
	if wrong := j.content.Ended(); wrong != "" && !j.bare() {
		w.violate("response-body", "%s, by %s: %s", wrong, j.by.Name, x)
	}
	trailers = bytes.TrimSpace(trailers)
	if len(trailers) > 0 && !bytes.EqualFold(trailers, fmt.Appendf(nil, "x-trailer: %d", j.of.ID)) {
		w.violate("foreign-trailers", "%q to %s", trailers, x)
	}
	if len(trailers) > 0 && !j.of.Replies {
		w.violate("foreign-trailers", "%q to %s", trailers, x)
	}
}

func (w *world) finishes(x *exchange) {
	x.over, x.ended = true, w.sys.Now()
	w.finished++
}

// cut is told when the response broke off, or never began.
func (j *judge) cut(why string) {
	w, x := j.w, j.x
	if x.over {
		return
	}
	w.finishes(x)
	switch {
	case x.gone:
		w.count("gone")
	case j.content.Wrong != "":
		w.violate("response-body", "%s, by %s, and then %s: %s", j.content.Wrong, j.by.Name, why, x)
	case j.excused():
		w.count("cut")
	case j.status == 0:
		w.violate("no-response", "%s: %s%s", why, x, j.before())
	default:
		w.violate("response-cut", "%s: status %d, %d of %d bytes: %s%s", why, j.status, j.content.At, len(j.content.Want), x, j.before())
	}
}

func (j *judge) before() string {
	if j.x.prior != nil {
		return fmt.Sprintf("; before it: %s", j.x.prior)
	}
	return ""
}

// excused is whether something was done to the request that explains why it has failed.
func (j *judge) excused() bool {
	w, x := j.w, j.x
	if x.prior != nil && j.status == 0 && x.prior.unread() {
		return true // a response may end before the body of its request has been taken: then the connection does too
	}
	if next := x.after; next != nil && next.gone {
		return true // a client that gives up takes with it what it hasn't read
	}
	begun := j.status != 0 && !j.own
	return w.troubled(x) || w.shares(x) || w.late(x, begun) || !begun && (j.status == 0 || j.status == 503) && w.ends(x) || !x.client.HTTP2 && x.unread()
}

// unread is whether a response to it may have come before all of its body was taken.
func (x *exchange) unread() bool {
	return len(x.body) > 0 && (x.suffered() || slices.ContainsFunc(x.runs, func(one *run) bool { return !one.shadow && one.early }))
}

// unexplained says what is wrong with a status of the gateway's own, "" if nothing is.
func (j *judge) unexplained() string {
	if j.x.Nonsense > 0 && j.status >= 400 && j.status < 600 {
		return ""
	}
	if j.x.attacked && (j.status == 500 || j.status == 403) {
		return ""
	}
	if refused := j.x.refusedBy(); refused != 0 && j.status == refused {
		return ""
	}
	switch j.status {
	case 502, 503, 504:
		if j.excused() || j.x.Route.bounded(j.status) {
			return ""
		}
		return "there was no fault"
	case 418, 429:
		if j.x.Route.bounded(j.status) {
			return ""
		}
	case 400, 408:
		if j.x.gone || j.status == 408 && (j.x.told || j.w.parted(j.x)) {
			return ""
		}
	case 304:
		if j.x.Route.Kind == "cache" {
			return ""
		}
	}
	return "nothing asks for it"
}

// readBody takes a part of a request's body at an endpoint. It reports whether that is right.
func (w *world) readBody(x *exchange, one *run, f *payload.Follower, p []byte) bool {
	wrong := f.Wrong
	f.Take(p)
	one.got = f.At
	if f.Wrong != "" && wrong == "" {
		w.violate("request-body", "%s got %s: %s", one.endpoint.Name, f.Wrong, x)
	}
	return f.Wrong == ""
}

// bodyEnded is told when all of it is in, as the endpoint sees it.
func (w *world) bodyEnded(x *exchange, one *run, f *payload.Follower) {
	if one.whole {
		return
	}
	one.whole = true
	if x.Nonsense > 0 {
		w.violate("nonsense", "%s got a whole body: %s", one.endpoint.Name, x)
	} else if wrong := f.Ended(); wrong != "" && f.Wrong == "" {
		w.violate("request-body", "%s got it %s: %s", one.endpoint.Name, wrong, x)
	} else if x.Chunked && len(x.body) > 0 && !x.sent && !x.Route.json() {
		w.violate("request-body", "%s got all of what its client never ended: %s", one.endpoint.Name, x)
	}
}
