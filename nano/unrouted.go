package nano

import (
	"path"
	"strings"

	"dyno/nano/internal/router"
)

// serveUnrouted responds to what no route does. The app's middleware is around it,
// so that it is logged, measured and given CORS fields like any other.
func (a *App) serveUnrouted(c Ctx) error {
	x := c.live()
	switch x.match.Outcome {
	case router.WrongMethod:
		c.SetHeader("Allow", router.AllowLine(a.routes.router.Allowed(&x.req, x.buf, &x.match)))
		return a.config.MethodNotAllowed(c)
	case router.OptionsOfPath:
		c.SetHeader("Allow", router.AllowLine(a.routes.router.Allowed(&x.req, x.buf, &x.match)))
		return c.NoContent(204)
	case router.OptionsOfAll:
		c.SetHeader("Allow", a.allowAnywhere())
		return c.NoContent(204)
	case router.BadPath:
		return NewProblem(400, "the path of the request can't be read")
	case router.UncleanPath, router.SlashAdded, router.SlashCut:
		return c.redirectPath(x.match.Outcome)
	}
	return a.config.NotFound(c)
}

// redirectPath sends the client to the spelling of the path that a route has:
// 301 for GET and HEAD, 308 for methods with a body to send again (RFC 9110
// 15.4).
func (c Ctx) redirectPath(o router.Outcome) error {
	x := c.live()
	p := string(x.match.Canonical(&x.req, x.buf))
	switch o {
	case router.UncleanPath:
		clean := path.Clean(p)
		if strings.HasSuffix(p, "/") && clean != "/" {
			clean += "/"
		}
		p = clean
	case router.SlashAdded:
		p += "/"
	case router.SlashCut:
		p = strings.TrimSuffix(p, "/")
	}
	to := router.AppendEncoded(nil, []byte(p))
	if query := c.RawQuery(); len(query) > 0 {
		to = append(append(to, '?'), query...)
	}
	c.SetHeader("Location", string(to))
	if m := string(c.Method()); m == "GET" || m == "HEAD" {
		return c.NoContent(301)
	}
	return c.NoContent(308)
}

// allowAnywhere returns the value of Allow for the app as a whole.
func (a *App) allowAnywhere() string {
	var served []string
	for _, r := range a.routes.all {
		served = append(served, r.method)
	}
	return router.AllowLine(served)
}
