//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"dyno.example/dyno/nullserver"
	"dyno.example/dyno/scripted"
	"dyno.example/nano/wire/clock"
)

// serve is the other end of a measurement, in a process of its own. It runs
// until it is told to end, and then writes its record, if it has one.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	kind := flags.String("kind", "null", "null, tls, tls-h2, nethttp or scripted")
	address := flags.String("address", "127.0.0.1:0", "where to listen")
	script := flags.String("script", "", "when to respond (scripted, nethttp)")
	requests := flags.Int("requests", 0, "room in the record (scripted)")
	busy := flags.Bool("busy", false, "poll without a pause (scripted)")
	closing := flags.Bool("close", false, "close the connection after each response (scripted)")
	record := flags.String("record", "", "file for the record (scripted)")
	certificate := flags.String("certificate", "", "PEM file with certificate and key (tls, tls-h2)")
	flags.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	when, err := scripted.Parse(*script)
	if err != nil {
		return err
	}
	switch *kind {
	case "null":
		return serveNull(ctx, *address)
	case "tls":
		return serveTLS(ctx, *address, *certificate, "http/1.1", respondToAll)
	case "tls-h2":
		return serveTLS(ctx, *address, *certificate, "h2", respondHTTP2)
	case "grpc":
		return serveGRPC(ctx, *address)
	case "nethttp":
		return serveNetHTTP(ctx, *address, when)
	case "scripted":
		return serveScripted(ctx, *address, *record, scripted.Options{Script: when, Requests: *requests, Busy: *busy, Close: *closing})
	}
	return fmt.Errorf("there is no server %q", *kind)
}

func serveNull(ctx context.Context, address string) error {
	s, err := nullserver.Listen(address)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// serveScripted doesn't collect garbage: its loop makes none, and the record is
// allocated once.
func serveScripted(ctx context.Context, address, record string, options scripted.Options) error {
	debug.SetGCPercent(-1)
	s, err := scripted.Listen(address, options)
	if err != nil {
		return err
	}
	r, err := s.Serve(ctx)
	if err != nil || record == "" {
		return err
	}
	f, err := os.Create(record)
	if err != nil {
		return err
	}
	if err := r.Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// serveTLS responds as the null server does, over TLS 1.3 by the standard library.
func serveTLS(ctx context.Context, address, certificate, protocol string, respond func(net.Conn)) error {
	pair, err := tls.LoadX509KeyPair(certificate, certificate)
	if err != nil {
		return err
	}
	ln, err := tls.Listen("tcp", address, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13, NextProtos: []string{protocol},
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go respond(conn)
	}
}

const tlsReply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: 13\r\n\r\nHello, World!"

func respondToAll(conn net.Conn) {
	defer conn.Close()
	reply, read := []byte(tlsReply), make([]byte, 16<<10)
	for {
		if _, err := conn.Read(read); err != nil {
			return
		}
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}

// respondHTTP2 responds to all requests of a read with one write.
func respondHTTP2(conn net.Conn) {
	defer conn.Close()
	var null nullserver.HTTP2
	var out []byte
	read := make([]byte, 64<<10)
	for {
		n, err := conn.Read(read)
		if err != nil {
			return
		}
		var ok bool
		if out, ok = null.Respond(out[:0], read[:n]); !ok {
			return
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// serveNetHTTP is an ordinary service on the standard library's server, which
// stands still when the script says so.
func serveNetHTTP(ctx context.Context, address string, script scripted.Script) error {
	start := clock.Now()
	server := http.Server{Addr: address, ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		now := clock.Now()
		if due := script.Due(0, now, start); due > now {
			time.Sleep(time.Duration(due - now))
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Hello, World!")
	})}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}
