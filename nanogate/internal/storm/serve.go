//go:build linux

package storm

import (
	"io"
	"time"
)

// served is a request at an endpoint, over whichever version.
type served interface {
	io.Reader // the body; io.EOF once it is complete
	interim()
	// head begins the response; length is -1 where it isn't said.
	head(status int, fields []field, length int) error
	io.Writer
	end(trailers []field) error
	// fail does what a fault says, which ends the request but for those that go on.
	fail(fault string) (goesOn bool)
}

// handle does what is planned for a request: reads and verifies it, and gives the response
// that belongs to it.
func (e *endpoint) handle(x served, r *request, one *run) {
	defer close(one.done)
	at := func(faults ...string) (over bool) {
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
	for range r.interims {
		x.interim()
	}
	if one.fault == "rst-body" || one.fault == "close-body" {
		e.s.readBody(r, one, x, len(r.body)/2)
		at(one.fault)
		return
	}
	early := r.early && one.fault == ""
	if r.slow {
		time.Sleep(time.Duration(len(r.token)+len(r.body)%40) * time.Millisecond)
	}
	read := func() bool { return true }
	switch {
	case early:
	case r.duplex:
		whole := make(chan bool, 1)
		go func() { whole <- e.s.readBody(r, one, x, -1) }()
		read = func() bool { return <-whole }
	case !e.s.readBody(r, one, x, -1):
		return
	}
	if at("goaway", "graceful") {
		return
	}
	e.respond(x, r, one, at, read)
}

// respond gives the response, whose end waits until the request is read.
func (e *endpoint) respond(x served, r *request, one *run, at func(...string) bool, read func() bool) {
	all := r.response(e.name)
	length := -1
	if r.lengthy && r.size == 0 {
		length = len(all)
	}
	fields := []field{{"x-token", r.token}, {"x-by", e.name}}
	if r.size > 0 {
		fields = append(fields, field{"content-type", "application/grpc"})
	}
	if r.route.kind == "cache" {
		fields = append(fields, field{"cache-control", "max-age=1"})
	}
	status := 200
	if one.fault == "status" && r.size == 0 {
		status = 500
		e.s.count("fault status")
	}
	if x.head(status, fields, length) != nil {
		return
	}
	if r.method == "HEAD" {
		all = nil
	}
	if at("rst-response", "close-response", "cut-response") {
		return
	}
	for len(all) > 0 {
		n := min(len(all), 1+len(r.token)*1000)
		if _, err := x.Write(all[:n]); err != nil {
			return
		}
		all = all[n:]
		pause(r.slow)
	}
	if !read() {
		return
	}
	trailers := r.replies
	if r.size > 0 {
		trailers = append([]field{{"grpc-status", "0"}}, trailers...)
	}
	if x.end(trailers) != nil {
		return
	}
	one.responded = true
	at("close-after", "cut-after", "goaway-after")
}
