package main

import (
	"bufio"
	"crypto/tls"
	"net"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/static"
	"github.com/valyala/fasthttp"
)

// structValidator is how Fiber is given a validator.
type structValidator struct{}

func (structValidator) Validate(out any) error { return valid.Struct(out) }

func serveFiber(ln net.Listener, files, certificate string) error {
	app := fiber.New(fiber.Config{StructValidator: structValidator{}})
	ticks := newTicker()
	app.Get("/plaintext", func(c fiber.Ctx) error { return c.SendString(hello) })
	app.Get("/files/*", static.New(files))
	app.Post("/orders", func(c fiber.Ctx) error {
		var o order
		if err := c.Bind().Body(&o); err != nil {
			return c.Status(400).JSON(fiber.Map{"error": err.Error()})
		}
		return c.Status(201).JSON(fiber.Map{"id": o.ID})
	})
	app.Get("/events", func(c fiber.Ctx) error {
		c.Set("Content-Type", "text/event-stream")
		return c.SendStreamWriter(func(w *bufio.Writer) { sendEvents(ticks, w) })
	})
	app.Get("/echo", func(c fiber.Ctx) error { return echo(c.RequestCtx()) })
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, certificate)
		if err != nil {
			return err
		}
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13})
	}
	return app.Listener(ln, fiber.ListenConfig{DisableStartupMessage: true})
}

// sendEvents sends an event at each tick until the client goes.
func sendEvents(ticks *ticker, w *bufio.Writer) {
	for {
		<-ticks.tick()
		if _, err := w.WriteString(event); err != nil || w.Flush() != nil {
			return
		}
	}
}

var upgrader = websocket.FastHTTPUpgrader{}

func echo(c *fasthttp.RequestCtx) error {
	return upgrader.Upgrade(c, func(conn *websocket.Conn) {
		defer conn.Close()
		for {
			kind, data, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, data) != nil {
				return
			}
		}
	})
}
