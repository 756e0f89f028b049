package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"net"

	"github.com/valyala/fasthttp"
)

func serveFasthttp(ln net.Listener, files, certificate string) error {
	ticks := newTicker()
	fs := &fasthttp.FS{Root: files, AcceptByteRange: true, PathRewrite: fasthttp.NewPathPrefixStripper(len("/files"))}
	file := fs.NewRequestHandler()
	s := &fasthttp.Server{Handler: func(c *fasthttp.RequestCtx) {
		path := string(c.Path())
		switch {
		case path == "/plaintext":
			c.SetContentType("text/plain; charset=utf-8")
			c.SetBodyString(hello)
		case len(path) > len("/files/") && path[:len("/files/")] == "/files/":
			file(c)
		case path == "/orders" && c.IsPost():
			order1(c)
		case path == "/events":
			c.SetContentType("text/event-stream")
			c.SetBodyStreamWriter(func(w *bufio.Writer) { sendEvents(ticks, w) })
		case path == "/echo":
			_ = echo(c) // it has responded
		default:
			c.NotFound()
		}
	}}
	if certificate != "" {
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13}
		return s.ServeTLS(ln, certificate, certificate)
	}
	return s.Serve(ln)
}

func order1(c *fasthttp.RequestCtx) {
	var o order
	err := json.Unmarshal(c.PostBody(), &o)
	if err == nil {
		err = valid.Struct(&o)
	}
	if err != nil {
		c.Error(err.Error(), 400)
		return
	}
	c.SetContentType("application/json")
	c.SetStatusCode(201)
	_ = json.NewEncoder(c).Encode(map[string]int64{"id": o.ID}) // into memory
}
