package translate

import (
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
)

// Call appends the head of a call over gRPC ("Requests" of gRPC over HTTP2), made of the
// head of a request with JSON, both as text: what isn't about the JSON is its metadata.
// path is the method's.
func Call(dst, head []byte, path string) []byte {
	dst = append(append(append(dst, "POST "...), path...), " HTTP/1.1\r\n"...)
	dst = append(dst, "content-type: "+grpc.ContentType+"\r\nte: trailers\r\n"+grpc.FieldAccepts+": "+grpc.Identity+"\r\n"...)
	return append(appendMetadata(dst, head, true), "\r\n"...)
}

// Metadata appends the fields of a head that stay when its content becomes JSON, as lines.
func Metadata(dst, head []byte) []byte { return appendMetadata(dst, head, false) }

func appendMetadata(dst, head []byte, request bool) []byte {
	line := 0
	for head[line] != '\n' {
		line++
	}
	for lines := head[line+1:]; len(lines) > 2; {
		name, _, rest := http1.CutField(lines)
		if !ofContent(name, request) {
			dst = append(dst, lines[:len(lines)-len(rest)]...)
		}
		lines = rest
	}
	return dst
}

// ofContent reports whether a field is about the content of a message, or gRPC's own.
func ofContent(name []byte, request bool) bool {
	if len(name) > 5 && http1.EqualFold(name[:5], "grpc-") {
		return !request || !http1.EqualFold(name, grpc.FieldTimeout)
	}
	for _, lower := range [...]string{"content-type", "content-length", "transfer-encoding", "connection", "te", "trailer"} {
		if http1.EqualFold(name, lower) {
			return true
		}
	}
	return request && (http1.EqualFold(name, "accept") || http1.EqualFold(name, "accept-encoding") || http1.EqualFold(name, "expect"))
}
