package request

import (
	"bytes"
	"compress/gzip"
	"io"

	"dyno.example/dyno/load/protomsg"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/grpc"
)

// mostInflated bounds a message that was compressed, in bytes.
const mostInflated = 16 << 20

// appendJSON appends the messages on the wire as JSON: all of them as a list, or the
// first one.
func appendJSON(dst []byte, d *protomsg.Decoder, framed []byte, list bool) ([]byte, error) {
	if list {
		dst = append(dst, '[')
	}
	for n := 0; len(framed) >= grpc.PrefixLen && (n == 0 || list); n++ {
		length, compressed, err := grpc.ParsePrefix(framed)
		if err != nil {
			return dst, err
		}
		framed = framed[grpc.PrefixLen:]
		if uint64(length) > uint64(len(framed)) {
			return dst, i18n.Errorf("request.bytes-message", "%d bytes of a message of %d", len(framed), length)
		}
		message := framed[:length]
		framed = framed[length:]
		if compressed {
			if message, err = inflate(message); err != nil {
				return dst, i18n.Errorf("request.compressed-message", "a compressed message: %w", err)
			}
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		if dst, err = d.AppendJSON(dst, message); err != nil {
			return dst, err
		}
	}
	if list {
		dst = append(dst, ']')
	}
	return dst, nil
}

func inflate(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, mostInflated+1))
	if err == nil && len(out) > mostInflated {
		err = i18n.Errorf("request.too-long-to-check", "it is longer than the 16 MiB that are looked at")
	}
	return out, err
}
