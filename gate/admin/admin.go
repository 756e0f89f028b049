//go:build linux

// Package admin shows the gateway to who runs it: whether it is ready, its routes and
// upstreams with their figures, metrics for Prometheus, and a page with all of it. It
// changes nothing, and listens on an address of its own.
package admin

import (
	_ "embed"
	"net"
	"net/netip"
	"strings"

	"dyno/gate"
	"dyno/gate/request"
	"dyno/nano"
)

//go:embed page.html
var page string

//go:embed page.css
var style []byte

//go:embed page.js
var script []byte

// New makes the app that shows g.
func New(g *gate.Gateway) *nano.App {
	app := nano.New(nano.Config{Loops: 1})
	app.Use(local, safe)
	app.Get("/ready", func(c nano.Ctx) error {
		s := statusOf(g)
		if !s.Ready {
			return c.JSON(503, s)
		}
		return c.JSON(200, s)
	})
	app.Get("/config", func(c nano.Ctx) error { return c.JSON(200, g.Snapshot().Config.View()) })
	app.Get("/routes", func(c nano.Ctx) error { return c.JSON(200, routesOf(g.Snapshot())) })
	app.Get("/upstreams", func(c nano.Ctx) error { return c.JSON(200, upstreamsOf(g.Snapshot())) })
	app.Get("/metrics", func(c nano.Ctx) error { return c.Bytes(200, "text/plain; version=0.0.4; charset=utf-8", metrics(g)) })
	app.Get("/", func(c nano.Ctx) error { return c.HTML(200, page) })
	app.Get("/page.css", func(c nano.Ctx) error { return c.Bytes(200, "text/css; charset=utf-8", style) })
	app.Get("/page.js", func(c nano.Ctx) error { return c.Bytes(200, "text/javascript; charset=utf-8", script) })
	return app
}

// local refuses names: a page of the web whose own name was made to lead here would
// read what it likes (DNS rebinding). Who comes by address, or as localhost, is meant.
func local(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		host := string(c.Header("Host"))
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.Trim(host, "[]")
		if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
			return nano.NewProblem(403, "the admin address is asked by an IP address or as localhost")
		}
		return next(c)
	}
}

// safe keeps browsers from making more of an answer than it is.
func safe(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		c.SetHeader("X-Content-Type-Options", "nosniff")
		c.SetHeader("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'")
		c.SetHeader("Cache-Control", "no-store")
		return next(c)
	}
}

func failureName(why int) string { return request.Failure(why).String() }
