// Conformance is an origin server as tools that test HTTP/1.1 with raw sockets expect
// one: point any of them at its address. It also speaks HTTP/2 there, to clients that
// begin with it (prior knowledge), as h2spec does.
//
//	/        200 "OK" to GET and HEAD, 204 with Allow to OPTIONS, to POST the
//	         request's body; every other path responds as this one
//	/echo    any method responds with the request's fields, one "Name: Value" a line
//	/cookie  any method responds with the request's cookies, one "name=value" a line
//
// A body that can't be read gets a 400, CONNECT is refused, and any other method gets
// 405 with Allow.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"dyno.example/nano"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on")
	flag.Parse()
	app := newApp(nano.Config{H2C: true})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		_ = app.Shutdown(context.Background()) // Listen returns when it has ended
	}()
	if err := app.Listen(*addr); err != nil {
		log.Fatal(err)
	}
}
