//go:build linux

package storm

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"dyno.example/nanogate/internal/payload"
)

// judge holds a response against its request, as its client takes it in.
type judge struct {
	s        *Storm
	r        *request
	status   int
	of       *request // whose response it is, by its content
	by       string
	content  *payload.Follower // nil for what the gateway says itself
	said     []byte            // which is this
	trailers []field
	bare     bool       // there is no content, as to HEAD
	prior    []*request // on the same connection over HTTP/1.1
	behind   []*request // that were sent behind it there
}

const mostSaid = 4 << 10

// head checks the head of the response; fields are found by get.
func (j *judge) head(status int, get func(name string) string) {
	j.status = status
	token := get("x-token")
	if token == "" {
		if grpc := get("grpc-status"); grpc != "" && status == 200 {
			j.status = statusOf(grpc)
		} else if status == 200 {
			j.s.violate("foreign-response", "200 that comes from no upstream to %s", j.r)
		}
		return
	}
	j.by = get("x-by")
	j.of = j.r
	if token != j.r.token {
		other := j.s.find(token)
		if other == nil || j.r.route.kind != "cache" || other.path != j.r.path {
			j.s.violate("foreign-response", "the response to %q by %s came to %s", token, j.by, j.r)
			j.of = nil
			return
		}
		j.of = other
	}
	if group, _, _ := strings.Cut(j.by, "/"); !j.r.route.goes(group) {
		j.s.violate("wrong-upstream", "%s responded to %s", j.by, j.r)
	}
	if status != 200 && status != 500 {
		j.s.violate("wrong-status", "%d of %s for %s", status, j.by, j.r)
	}
	if j.r.size > 0 {
		j.content = &payload.Follower{Want: j.of.response(j.by)}
	} else {
		j.content = &payload.Follower{Want: content(token+j.by, j.of.want)}
	}
	if j.r.route.plugin != "" && get("x-plugin") != "yes" {
		j.s.violate("plugin-passed-by", "%s has seen no response to %s", j.r.route.plugin, j.r)
	}
	if length := get("content-length"); length != "" && length != strconv.Itoa(j.of.want) && j.r.size == 0 {
		j.s.violate("wrong-length", "Content-Length %s, not %d, for %s", length, j.of.want, j.r)
	}
}

// response is the content of a response by an endpoint.
func (r *request) response(by string) []byte {
	if r.size > 0 {
		return messages(r.token+by, r.want, r.size)
	}
	return content(r.token+by, r.want)
}

// Write takes content.
func (j *judge) Write(p []byte) (int, error) {
	if j.content != nil {
		j.content.Take(p)
	} else if len(j.said) < mostSaid {
		j.said = append(j.said, p...)
	}
	return len(p), nil
}

// ended is called when the response is complete.
func (j *judge) ended(trailers []field) {
	if j.r.size > 0 && j.content != nil {
		for _, f := range trailers {
			if f.name == "grpc-status" && f.value != "0" {
				j.cut(fmt.Errorf("the trailers say grpc-status %s, %v", f.value, trailers))
				return
			}
		}
	}
	j.s.count(fmt.Sprintf("%s %d", j.r.client, j.status))
	j.trailers = trailers
	if j.content == nil {
		if why := j.unexplained(); why != "" {
			j.s.violate(fmt.Sprintf("unexplained-%d", j.status), "%s, it says %.300q: %s", why, j.said, j.r)
		}
		return
	}
	if wrong := j.content.Ended(); wrong != "" && !(j.bare && j.content.At == 0) {
		j.s.violate("response-body", "%s, by %s: %s", wrong, j.by, j.r)
	}
	for _, f := range trailers {
		if f.name == "x-trailer" && f.value == j.of.token || f.name == "grpc-status" && f.value == "0" || f.name == "grpc-message" && f.value == "" {
			continue
		}
		j.s.violate("foreign-trailers", "%s: %s to %s", f.name, f.value, j.r)
	}
	if j.r.size > 0 && len(trailers) == 0 {
		j.s.violate("trailers-lost", "there is no status of gRPC: %s", j.r)
	}
	if j.mustTrail() && len(trailers) == 0 {
		j.s.violate("trailers-lost", "%s", j.r)
	}
}

// mustTrail is whether the trailers must have come.
func (j *judge) mustTrail() bool {
	return len(j.of.replies) > 0 && !j.bare && j.status == 200 && j.of == j.r && (j.r.size > 0 || j.r.client == "c2" || j.r.client == "c2tls") && !j.of.lengthy && !j.r.route.waits()
}

// came is how much content has come; 0 where none is followed.
func (j *judge) came() int {
	if j.content == nil {
		return 0
	}
	return j.content.At
}

// cut is called when the response broke off, or never began.
func (j *judge) cut(err error) {
	if j.r.gone.Load() {
		j.s.count(j.r.client + " gone")
		return
	}
	late := strings.Contains(err.Error(), "i/o timeout") || strings.Contains(err.Error(), errLate.Error())
	switch {
	case late:
		j.s.count(j.r.client + " hung")
		j.s.violate("hang", "%v; status %d, %s", err, j.status, j.r)
	case j.s.draining.Load() && time.Since(j.r.begun) > long:
		j.s.count(j.r.client + " hung")
		j.s.violate("hang", "%v, %v after it began, as the gateway ended; status %d, %s", err, time.Since(j.r.begun), j.status, j.r)
	case j.content != nil && j.content.Wrong != "":
		j.s.count(j.r.client + " cut")
		j.s.violate("response-body", "%s, by %s, and then %v: %s", j.content.Wrong, j.by, err, j.r)
	case j.status == 0:
		j.s.count(j.r.client + " no-response")
		if !j.excused() {
			j.s.violate("no-response", "%v: %s%s", err, j.r, j.before())
		}
	default:
		j.s.count(j.r.client + " cut")
		if !j.excused() {
			j.s.violate("response-cut", "%v: status %d, %d of %d bytes, the %dth on its connection: %s", err, j.status, j.came(), j.r.want, len(j.prior)+1, j.r)
		}
	}
}

// before lists the earlier requests on the connection.
func (j *judge) before() string {
	if n := len(j.prior); n > 0 {
		return fmt.Sprintf("; before it: %s", j.prior[n-1])
	}
	return ""
}

// excused is whether something was done to the request, or to its upstreams meanwhile, that
// explains why it has failed.
func (j *judge) excused() bool {
	if j.s.draining.Load() || j.r.gone.Load() {
		return true
	}
	for _, next := range j.behind { // a response that breaks off resets the connection, and with it what lies in its buffers
		if j.s.troubled(next) {
			return true
		}
	}
	if one := j.whole(); one != nil { // what an endpoint has sent whole comes
		return one.broken.Load() || one.endpoint.stopped.Load() > one.at.UnixNano()
	}
	if n := len(j.prior); n > 0 && j.status == 0 && len(j.prior[n-1].body) > 0 && j.prior[n-1].suffered() {
		return true // a response may end before the body of its request has been taken: then the connection does too
	}
	return j.s.troubled(j.r)
}

// troubled is whether something was done to a request, or to its upstreams meanwhile, that it
// may fail of.
func (s *Storm) troubled(r *request) bool {
	for _, name := range r.route.groups {
		g, since := s.groups[name], r.begun.Add(-500*time.Millisecond)
		if g.disturbedSince(since) || g.wentSince(since) >= refusals {
			return true
		}
	}
	return r.suffered()
}

// whole is the try whose response was sent completely, if it is the one that the client has
// begun to get, or the only one; nil: none was.
func (j *judge) whole() (last *run) {
	j.r.mu.Lock()
	defer j.r.mu.Unlock()
	n := 0
	for _, one := range j.r.runs {
		if one.shadow {
			continue
		}
		n++
		if one.responded && (j.by == "" && one.fault != "status" || j.by == one.endpoint.name) { // a 500 may be retried
			last = one
		}
	}
	if j.by == "" && n > 1 {
		return nil
	}
	return last
}

// What endpoints haven't looked at the gateway sends again, up to so often, as long as it has
// the body: it keeps that much of what it has sent.
const (
	refusals = 3
	kept     = 64 << 10
)

// suffered is whether an endpoint did something to one of its tries that requests may fail of.
// One that lets a connection go takes what it has begun to its end; what it refuses, and what
// it says 500 to, is no failure.
func (r *request) suffered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused := 0
	for _, one := range r.runs {
		switch one.fault {
		case "", "goaway", "graceful", "goaway-after", "status":
		case "refused", "goaway0":
			refused++
		default:
			return true
		}
	}
	return refused >= refusals || refused > 0 && len(r.body) > kept
}

// unexplained says what is wrong with a status of the gateway's own, "" if nothing is.
func (j *judge) unexplained() string {
	switch j.status {
	case 502:
		if !j.excused() {
			return "there was no fault"
		}
	case 503:
		if !j.excused() && !j.r.route.limits {
			return "there was neither a fault nor a limit"
		}
	case 429:
		if !j.r.route.limits && !(j.r.size > 0 && j.r.suffered()) { // RESOURCE_EXHAUSTED is a reset with ENHANCE_YOUR_CALM too
			return "there is no limit"
		}
	case 504:
		return fmt.Sprintf("no upstream was that slow, and it came after %v", time.Since(j.r.begun))
	default:
		if !j.s.draining.Load() && !(j.status == 500 && j.r.size > 0 && j.r.suffered()) { // INTERNAL and the like
			return "nothing asks for it"
		}
	}
	return ""
}

// statusOf is what a status of gRPC that the gateway gives stands for.
func statusOf(grpc string) int {
	switch grpc {
	case "14":
		return 503
	case "4":
		return 504
	case "8":
		return 429
	case "0":
		return 200
	}
	return 500
}

// readBody reads the body of a request at an endpoint, and holds it against what was sent.
func (l *ledger) readBody(r *request, one *run, body io.Reader, most int) (whole bool) {
	follow := &payload.Follower{Want: r.body}
	p := make([]byte, 16<<10)
	for most < 0 || follow.At < most {
		n, err := body.Read(p)
		follow.Take(p[:n])
		one.got = follow.At
		if follow.Wrong != "" {
			l.violate("request-body", "%s got %s: %s", one.endpoint.name, follow.Wrong, r)
			return false
		}
		if err == io.EOF {
			if wrong := follow.Ended(); wrong != "" {
				l.violate("request-body", "%s got it %s: %s", one.endpoint.name, wrong, r)
			} else if r.chunked && !r.allSent.Load() { // with a length the end needn't have come

				l.violate("request-body", "%s got all of what its client never ended: %s", one.endpoint.name, r)
			}
			one.whole = true
			return true
		}
		if err != nil {
			return false
		}
	}
	return false
}

// messagesOf cuts whole messages of gRPC off, and framesOf frames of gRPC-Web.
func messagesOf(b []byte) (list [][]byte, rest []byte) { return framesOf(b) }

func framesOf(b []byte) (list [][]byte, rest []byte) {
	for len(b) >= 5 {
		n := 5 + int(binary.BigEndian.Uint32(b[1:]))
		if len(b) < n {
			break
		}
		list, b = append(list, b[:n]), b[n:]
	}
	return list, b
}
