//go:build linux

package simulator

import (
	"strconv"
	"strings"
)

// reply is a response that an endpoint makes, over either version.
type reply struct {
	w       *world
	x       *exchange
	one     *run
	method  string
	match   string // If-None-Match of the request
	waits   bool   // it is to begin after a while
	begun   bool
	headOut bool
	done    bool // all of it has been made
	none    bool // there is no content
	status  int
	fields  [][2]string
	framing string
	length  int
	content []byte
	at      int
}

// start makes its head.
func (r *reply) start() {
	x := r.x
	number := r.one.endpoint.Number
	r.one.early = !r.one.whole && len(x.body) > 0
	r.headOut, r.status, r.framing, r.length = true, 200, x.Framing, x.Want
	r.content = contentOf(x.Request, number)
	if r.one.fault.Kind == "status" {
		r.status = 500
	}
	r.fields = append(r.fields, [2]string{"x-token", strconv.Itoa(x.ID)}, [2]string{"x-by", strconv.Itoa(number)})
	if x.Route.Kind == "cache" && r.status == 200 {
		r.cacheable()
	}
	if x.Route.calls() || x.Route.json() {
		r.framing = "chunks"
		r.fields = append(r.fields, [2]string{"content-type", "application/grpc"})
		if r.status == 500 {
			r.status = 200
		}
	}
	if r.none = r.none || r.method == "HEAD"; r.none {
		r.content = nil
		if r.framing == "close" {
			r.framing = "length"
		}
	}
}

// validates is whether it was asked about a response that it has given to a request for the
// same, and finds that unchanged.
func (r *reply) validates() bool {
	id, by, _ := strings.Cut(strings.Trim(r.match, `"`), ".")
	was := r.w.find([]byte(id))
	return was != nil && was.Path == r.x.Path && by == strconv.Itoa(r.one.endpoint.Number) && r.x.ID%3 != 0
}

// cacheable adds what a cache goes by.
func (r *reply) cacheable() {
	etag := `"` + strconv.Itoa(r.x.ID) + "." + strconv.Itoa(r.one.endpoint.Number) + `"`
	control := []string{"max-age=1", "max-age=1, stale-while-revalidate=2", "max-age=0, stale-if-error=5", "private", "max-age=3", "no-store"}[r.x.ID%6]
	r.fields = append(r.fields, [2]string{"cache-control", control})
	switch {
	case r.validates(): // what it was then is good still
		r.status, r.none, r.framing = 304, true, ""
		r.fields = append(r.fields[:0], [2]string{"cache-control", control}, [2]string{"etag", r.match})
	case r.x.ID%2 == 0:
		r.fields = append(r.fields, [2]string{"etag", etag})
	}
}
