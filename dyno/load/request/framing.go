package request

import (
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// CheckFraming holds headers that say where the body ends (RFC 9112 6) to the
// body, as far as it is no template: a server would wait for the rest, or take
// what is beyond for another request.
func (r *Request) CheckFraming() error {
	length, coding := "", ""
	for _, h := range r.Headers {
		switch {
		case strings.EqualFold(h.Name, "Content-Length"):
			length = strings.TrimSpace(h.Value)
		case strings.EqualFold(h.Name, "Transfer-Encoding"):
			coding = strings.TrimSpace(h.Value)
		}
	}
	constant := !strings.Contains(r.Body, "{{")
	switch {
	case length != "" && coding != "":
		return i18n.Errorf("request.length-and-chunked", "both Content-Length and Transfer-Encoding are given; remove one of them (RFC 9112 6.2)")
	case length != "" && constant && length != strconv.Itoa(len(r.Body)) && !strings.Contains(length, "{{"):
		return i18n.Errorf("request.content-length-differs", "the header Content-Length says %s, but the body has %d bytes; leave the header out, it is added", length, len(r.Body))
	case strings.EqualFold(coding, "chunked") && constant && !isChunked(r.Body):
		return i18n.Errorf("request.body-not-chunked", "the header Transfer-Encoding says chunked, but the body is not in chunks, which end in \"0\\r\\n\\r\\n\"; leave the header out, or write the chunks into the body")
	}
	return nil
}

// isChunked reports whether a body is complete in the chunked coding (RFC 9112 7.1).
func isChunked(body string) bool {
	for {
		line, rest, ok := strings.Cut(body, "\r\n")
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 62)
		switch {
		case !ok || err != nil || size > uint64(len(rest)):
			return false
		case size == 0:
			return rest == "\r\n" || strings.HasSuffix(rest, "\r\n\r\n") // trailers
		}
		if body, ok = strings.CutPrefix(rest[size:], "\r\n"); !ok {
			return false
		}
	}
}

// CheckHTTP2 reports fields that can't be sent over HTTP/2, which has its own framing
// and says nothing about connections in fields (RFC 9113 8.2.2), or nil.
func (r *Request) CheckHTTP2() error {
	for _, h := range r.Headers {
		switch name := strings.ToLower(h.Name); name {
		case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
			return i18n.Errorf("request.http2-forbidden-header", "the header %s can't be sent over HTTP/2 (RFC 9113 8.2.2); leave it out", h.Name)
		case "te":
			if !strings.EqualFold(strings.TrimSpace(h.Value), "trailers") {
				return i18n.Errorf("request.http2-te-header", "the header TE may only be \"trailers\" over HTTP/2 (RFC 9113 8.2.2), not %q", h.Value)
			}
		}
	}
	return nil
}
