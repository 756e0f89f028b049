package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// hijacked is written as it is: no Date, no look at what the client accepts.
const hijacked = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!"

// hijack takes the connection from the server, responds on it, and goes on with
// the requests that follow. Reading them is net/http's as before, so that only
// writing differs from /plaintext.
func hijack(w http.ResponseWriter, _ *http.Request) {
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	serveHijacked(conn, buffer.Reader)
}

// serveHijacked ends when the client does, or asks for something else: there is
// no way back to the server's other routes.
func serveHijacked(conn net.Conn, in *bufio.Reader) {
	for {
		if _, err := io.WriteString(conn, hijacked); err != nil {
			return
		}
		r, err := http.ReadRequest(in)
		if err != nil || r.Method != http.MethodGet || r.URL.Path != "/hijack" || r.Close {
			return
		}
	}
}
