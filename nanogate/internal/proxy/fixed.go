//go:build linux

package proxy

import "dyno.example/nanogate/internal/request"

// responding gives the response that the file has for a route.
type responding struct{ *loop }

func (l responding) respond(c *client) bool {
	l.heads.refuse(c, c.x.route.Reply)
	return true
}

// redirecting sends clients elsewhere.
type redirecting struct{ *loop }

func (l redirecting) respond(c *client) bool {
	route := c.x.route
	to := route.Redirect.Append(nil, &l.req, &l.found)
	l.heads.refuse(c, &request.Reply{Status: route.Config.Redirect.Status, Fields: request.AppendField(nil, "Location", to)})
	return true
}
