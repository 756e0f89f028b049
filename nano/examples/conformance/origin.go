package main

import (
	"bytes"

	"dyno.example/nano"
)

const allow = "GET, HEAD, OPTIONS, POST"

func newApp(config nano.Config) *nano.App {
	app := nano.New(config)
	app.Use(everyPath)
	app.Any("/", root)
	app.Any("/echo", echo)
	app.Any("/cookie", cookies)
	return app
}

// everyPath responds as "/" does to paths that would be redirected or not found, such
// as "//" and "*".
func everyPath(next nano.Handler) nano.Handler {
	return func(c nano.Ctx) error {
		if c.Route() == nil {
			return root(c)
		}
		return next(c)
	}
}

// root responds on all paths without a handler of their own.
func root(c nano.Ctx) error {
	body, err := c.Body()
	if err != nil {
		return nano.NewProblem(400, "the body can't be read").Because(err)
	}
	switch string(c.Method()) {
	case "GET", "HEAD":
		return c.Text(200, "OK")
	case "POST":
		return c.Bytes(200, "application/octet-stream", body)
	case "OPTIONS":
		c.SetHeader("Allow", allow)
		return c.NoContent(204)
	case "CONNECT":
		return nano.NewProblem(400, "this is not a proxy")
	}
	c.SetHeader("Allow", allow)
	return nano.NewProblem(405, "")
}

// echo responds with the request's fields.
func echo(c nano.Ctx) error {
	if _, err := c.Body(); err != nil {
		return nano.NewProblem(400, "the body can't be read").Because(err)
	}
	var b bytes.Buffer
	for name, value := range c.Headers() {
		b.Write(name)
		b.WriteString(": ")
		b.Write(value)
		b.WriteByte('\n')
	}
	return c.Bytes(200, "text/plain", b.Bytes())
}

// cookies responds with the request's cookies.
func cookies(c nano.Ctx) error {
	if _, err := c.Body(); err != nil {
		return nano.NewProblem(400, "the body can't be read").Because(err)
	}
	var b bytes.Buffer
	for name, value := range c.Headers() {
		if !bytes.EqualFold(name, []byte("Cookie")) {
			continue
		}
		for pair := range bytes.SplitSeq(value, []byte(";")) {
			b.Write(bytes.TrimSpace(pair))
			b.WriteByte('\n')
		}
	}
	return c.Bytes(200, "text/plain", b.Bytes())
}
