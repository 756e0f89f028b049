package translate

import (
	"bytes"
	"strconv"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// Is11 reports whether the request line says HTTP/1.1, which is what is sent.
func Is11(b []byte, q *http1.Request) bool {
	at := int(q.Target.End)
	return q.Minor == 1 && b[at+len(" HTTP/1.")] == '1'
}

// AppendUpgrade appends what asks for another protocol. HTTP/2 by upgrade is not among
// them: what would follow are requests that nobody looks at (RFC 9113 3.1).
func AppendUpgrade(dst []byte, r *request.Request) []byte {
	from := len(dst)
	dst = append(dst, "Connection: Upgrade\r\nUpgrade: "...)
	empty := len(dst)
	r.Headers("upgrade", func(value []byte) bool {
		for len(value) > 0 {
			var one []byte
			one, value, _ = bytes.Cut(value, []byte(","))
			if one = bytes.TrimSpace(one); len(one) == 0 || http1.EqualFold(one, "h2c") {
				continue
			}
			if len(dst) > empty {
				dst = append(dst, ", "...)
			}
			dst = append(dst, one...)
		}
		return true
	})
	if len(dst) == empty {
		return dst[:from]
	}
	return append(dst, "\r\n"...)
}

// Sized appends a response's head with the length of its body in place of what says where
// that ends.
func Sized(dst []byte, h *http1.ResponseHead, text []byte, length int) []byte {
	start := len("HTTP/1.1 200 ") + h.Reason.Len() + len("\r\n")
	dst = append(dst, text[:start]...)
	for _, f := range h.Fields {
		if name := f.Name.Of(text); !http1.EqualFold(name, "content-length") && !HopByHop(name) {
			dst = append(append(append(append(dst, name...), ": "...), f.Value.Of(text)...), "\r\n"...)
		}
	}
	dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), int64(length), 10), "\r\n"...)
	return append(dst, "\r\n"...)
}
