package contract

import "dyno.example/dyno/load/request"

// Route is one request that a subject must serve, and its response.
type Route struct {
	Name    string
	Method  string // default GET
	Path    string // path and query
	Headers []request.Header
	Body    string
	Expect  Expect
}

// Expect is the right response to a route. At most one of Text, JSON and Contains is
// set; a body none of them describes may be anything.
type Expect struct {
	Status   int              // default 200
	Headers  []request.Header // each value is a prefix of the one to get
	Text     *string          // the whole body
	JSON     any              // the body's value, in any order and spacing; nil: not checked
	Contains string           // somewhere in the body
}

// Request returns the route as a request to load a server with.
func (r Route) Request() request.Request {
	return request.Request{
		Name: r.Name, Method: r.Method, Path: r.Path,
		Headers: r.Headers, Body: r.Body, Status: r.Expect.Status,
	}
}
