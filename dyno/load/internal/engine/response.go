package engine

import (
	"bytes"
	"strconv"
	"strings"

	"dyno.example/dyno/load/expect"
	"dyno.example/nano/wire/http1"
)

var headEnd = []byte("\r\n\r\n")

// splitResponse splits a final response as it came into its head, with the empty line,
// and its body without chunk framing. Interim responses before it are skipped. The
// response was parsed before: one that is cut short or odd gives what there is. A
// chunked body is put together in place.
func splitResponse(raw []byte) (head, body []byte) {
	head, body = cutHead(raw)
	if hasField(head, "transfer-encoding") {
		body = unchunk(body)
	}
	return head, body
}

// finalHead is the head of a final response as it came.
func finalHead(raw []byte) []byte {
	head, _ := cutHead(raw)
	return head
}

// cutHead splits a final response after its head, and leaves it as it came.
func cutHead(raw []byte) (head, rest []byte) {
	for {
		end := bytes.Index(raw, headEnd)
		if end < 0 {
			return raw, nil
		}
		head, rest = raw[:end+len(headEnd)], raw[end+len(headEnd):]
		if !isInterim(string(head[:min(len(head), 12)])) {
			return head, rest
		}
		raw = rest
	}
}

// isInterim reports whether a head is that of an interim response, one that
// another follows (RFC 9110 15.2).
func isInterim(head string) bool {
	status, ok := strings.CutPrefix(head, "HTTP/1.1 ")
	return ok && strings.HasPrefix(status, "1") && !strings.HasPrefix(status, "101")
}

// isTimeoutOfIdle reports whether what came unasked is the response with which some
// servers close a connection that has been idle (408, RFC 9110 15.5.9).
func isTimeoutOfIdle(raw []byte) bool {
	return len(raw) > 12 && string(raw[:7]) == "HTTP/1." && string(raw[8:12]) == " 408"
}

// lasts reports whether the server lets the connection carry another request
// after a complete response (RFC 9112 9.3). One that has switched protocols speaks
// another language now (RFC 9110 15.2.2).
func lasts(response *http1.Response) bool { return response.KeepAlive && response.Status != 101 }

// unchunk takes the chunk framing (RFC 9112 7.1) out of b, in place.
func unchunk(b []byte) []byte {
	out := b[:0]
	for {
		line, rest, ok := bytes.Cut(b, []byte("\r\n"))
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 62)
		if !ok || err != nil || size == 0 {
			return out
		}
		n := min(size, uint64(len(rest)))
		out = append(out, rest[:n]...)
		b = bytes.TrimPrefix(rest[n:], []byte("\r\n"))
	}
}

// hasField reports whether a head has a field of the name.
func hasField(head []byte, name string) bool {
	for range expect.Fields(head, name) {
		return true
	}
	return false
}
