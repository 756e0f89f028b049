//go:build linux

package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// How a service speaks; HTTP/1.1 if it says nothing.
const (
	overHTTP2 = "h2"
	overGRPC  = "grpc"
)

// multiplexed are requests under way on each connection over HTTP/2 and gRPC.
const multiplexed = 10

// through are the flags for so many requests at once, as the service speaks.
func (l *lab) through(s *service, atOnce int) ([]string, error) {
	if s.Speaks == "" {
		return []string{"-c", strconv.Itoa(atOnce)}, nil
	}
	flags := []string{"-c", strconv.Itoa(max(atOnce/multiplexed, 1)), "--streams", strconv.Itoa(multiplexed)}
	if s.Speaks == overHTTP2 {
		return append(flags, "--http2"), nil
	}
	schema := filepath.Join(l.dir, "truth.proto")
	text := "syntax = \"proto3\";\npackage truth;\nmessage Nothing {}\nservice Echo { rpc Say(Nothing) returns (Nothing); }\n"
	return append(flags, "--proto", schema), os.WriteFile(schema, []byte(text), 0o644)
}

// serveMultiplexed serves over HTTP/2 in cleartext, by the standard library.
func (s *service) serveMultiplexed() {
	s.counts = make(map[string]int)
	s.multiplexer = &http.Server{
		ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000},
		Handler: http.HandlerFunc(s.stream),
	}
	s.multiplexer.Protocols.SetUnencryptedHTTP2(true)
	go s.multiplexer.Serve(s.listener)
}

// stream serves one request.
func (s *service) stream(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	fate, due := s.fateOf(time.Now(), r.URL.Path)
	if fate == "hang" {
		<-r.Context().Done()
		return
	}
	time.Sleep(time.Until(due))
	if fate == "reset" {
		panic(http.ErrAbortHandler)
	}
	if s.Speaks == overGRPC {
		s.call(w, fate)
		return
	}
	switch fate {
	case "fail":
		w.WriteHeader(http.StatusInternalServerError)
	case "redirect":
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
	case "wrong":
		io.WriteString(w, "Goodbye, all!")
		return
	}
	io.WriteString(w, goodBody)
}

// call responds to a call over gRPC with an empty message, or with a status that says that
// it failed.
func (s *service) call(w http.ResponseWriter, fate string) {
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status")
	status := "0"
	if fate == "fail" {
		status = "13" // INTERNAL
	} else {
		w.Write(make([]byte, 5))
	}
	w.Header().Set("Grpc-Status", status)
}
