package main

import (
	"bufio"
	"net/http"
	"strings"
)

// requestHead is what a browser sends, shortened.
const requestHead = "GET /api/users?limit=20 HTTP/1.1\r\n" +
	"Host: www.example.com\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0)\r\n" +
	"Accept: text/html,application/json;q=0.9,*/*;q=0.8\r\n" +
	"Accept-Language: en-GB,en;q=0.5\r\n" +
	"Accept-Encoding: gzip, deflate, br\r\n" +
	"Cookie: session=5f2c7a90d1e84b36; theme=light\r\n" +
	"Connection: keep-alive\r\n" +
	"\r\n"

// Both ways end with what a handler does: it looks at method, target, host and
// one field.

// parseStandard reads the head as net/http's server does. Reader and buffer are
// reused, as they are on a kept connection.
func parseStandard() func() int {
	source := strings.NewReader("")
	buffer := bufio.NewReaderSize(source, 4<<10)
	return func() int {
		source.Reset(requestHead)
		buffer.Reset(source)
		r, err := http.ReadRequest(buffer)
		if err != nil {
			return -1
		}
		return len(r.Method) + len(r.RequestURI) + len(r.Host) + len(r.Header.Get("User-Agent"))
	}
}

// parseRaw reads the head into a buffer of fixed size and finds its parts there.
func parseRaw() func() int {
	var buffer [4 << 10]byte
	var h rawHead
	return func() int {
		n := copy(buffer[:], requestHead)
		if !h.parse(buffer[:n]) {
			return -1
		}
		return len(h.method) + len(h.target) + len(h.field("Host")) + len(h.field("User-Agent"))
	}
}
