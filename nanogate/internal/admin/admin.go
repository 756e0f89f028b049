//go:build linux

// Package admin shows the gateway to its operators: whether it is ready, its routes and
// upstreams with their statistics, metrics for Prometheus, and a page with all of it.
// It accepts other configurations, shows what they would change, and rolls back to
// earlier ones. It listens on an address of its own.
package admin

import (
	_ "embed"
	"strings"

	"dyno.example/nano"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/metrics"
)

//go:embed page.html
var page string

//go:embed page.css
var style []byte

//go:embed page.js
var script []byte

// mostConfig bounds a configuration that is sent, in bytes.
const mostConfig = 32 << 20

// New makes the app that shows g.
func New(g *gateway.Gateway, o Options) *nano.App {
	app := nano.New(nano.Config{Loops: 1, Limits: nano.Limits{Body: mostConfig}})
	app.Use(local, o.direct, safe)
	app.Get("/ready", func(c nano.Ctx) error {
		s := statusOf(g)
		if !s.Ready {
			return c.JSON(503, s)
		}
		return c.JSON(200, s)
	})
	app.Get("/config", o.known(func(c nano.Ctx) error {
		c.SetHeader("ETag", etag(g.Version()))
		return c.JSON(200, g.Snapshot().Config.View())
	}), nano.OnGoroutine)
	app.Get("/config/versions", o.known(func(c nano.Ctx) error { return c.JSON(200, versionsOf(g)) }), nano.OnGoroutine)
	app.Put("/config", o.changes(put(g)), nano.OnGoroutine)
	app.Post("/config", o.changes(put(g)), nano.OnGoroutine)
	app.Post("/config/rollback", o.changes(rollback(g)), nano.OnGoroutine)
	app.Get("/cache", func(c nano.Ctx) error { return c.JSON(200, cacheOf(g.Snapshot())) })
	app.Post("/cache/purge", o.changes(purge(g)), nano.OnGoroutine)
	app.Get("/routes", func(c nano.Ctx) error { return c.JSON(200, routesOf(g.Snapshot(), histograms(c))) })
	app.Get("/openapi", openapi(g))
	app.Get("/upstreams", func(c nano.Ctx) error { return c.JSON(200, upstreamsOf(g.Snapshot(), histograms(c))) })
	app.Get("/plugins", func(c nano.Ctx) error { return c.JSON(200, pluginsOf(g.Snapshot())) })
	app.Get("/identity", func(c nano.Ctx) error { return c.JSON(200, identitiesOf(g.Snapshot())) })
	app.Get("/certificates", func(c nano.Ctx) error { return c.JSON(200, certificatesOf(g)) })
	app.Get("/mirrors", func(c nano.Ctx) error { return c.JSON(200, mirrorsOf(g.Snapshot())) })
	app.Get("/mirrors/samples", o.known(func(c nano.Ctx) error { return c.JSON(200, samplesOf(g.Snapshot())) }), nano.OnGoroutine)
	app.Get("/canaries", func(c nano.Ctx) error { return c.JSON(200, canariesOf(g.Snapshot())) })
	app.Post("/canaries/resume", o.changes(direct(g, resumeCanary)), nano.OnGoroutine)
	app.Post("/canaries/roll-back", o.changes(direct(g, rollBackCanary)), nano.OnGoroutine)
	app.Get("/metrics", func(c nano.Ctx) error {
		if strings.Contains(string(c.Header("Accept")), "application/openmetrics-text") {
			return c.Bytes(200, metrics.OpenType, metrics.Text(g, true))
		}
		return c.Bytes(200, metrics.TextType, metrics.Text(g, false))
	})
	app.Get("/{$}", func(c nano.Ctx) error { return c.HTML(200, page) })
	app.Get("/page.css", func(c nano.Ctx) error { return c.Bytes(200, "text/css; charset=utf-8", style) })
	app.Get("/page.js", func(c nano.Ctx) error { return c.Bytes(200, "text/javascript; charset=utf-8", script) })
	return app
}

// histograms reports whether the query requests response times by bucket.
func histograms(c nano.Ctx) bool { return string(c.RawQuery()) == "histograms" }

// safe sets fields that keep browsers from sniffing, framing and storing a response.
func safe(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		c.SetHeader("X-Content-Type-Options", "nosniff")
		c.SetHeader("Content-Security-Policy", "default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'")
		c.SetHeader("Cache-Control", "no-store")
		return next(c)
	}
}
