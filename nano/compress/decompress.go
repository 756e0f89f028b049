package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno.example/nano"
)

// DecompressConfig is how [Decompress] works.
type DecompressConfig struct {
	// MaxBody bounds a body after decoding, in bytes; default 4 MiB, then 413. What is
	// beyond is not decoded.
	MaxBody int64
	// Codings are taken, of "gzip", "br" and "zstd"; default all. The response to any
	// other is 415.
	Codings []string
}

// Decompress decodes the bodies of requests that have a Content-Encoding, so that
// handlers see them as they were (RFC 9110 8.4). The encoded body counts against the
// limits of the app, the decoded one against MaxBody, whatever it was made to grow to.
// One coding is accepted; the response to a list of several is 415.
func Decompress(config DecompressConfig) nano.Middleware {
	if config.MaxBody == 0 {
		config.MaxBody = 4 << 20
	}
	if config.Codings == nil {
		config.Codings = []string{"gzip", "br", "zstd"}
	}
	decoders := map[string]func(io.Reader) (io.ReadCloser, error){}
	for _, coding := range config.Codings {
		d := decoderOf(coding, config.MaxBody)
		if d == nil {
			panic("compress: " + coding + " is not a coding; there are gzip, br and zstd")
		}
		decoders[coding] = d
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			coding := strings.ToLower(c.Header("Content-Encoding").String())
			if coding == "" || coding == "identity" {
				return next(c)
			}
			decoder := decoders[coding]
			if coding == "x-gzip" {
				decoder = decoders["gzip"]
			}
			if decoder == nil {
				c.SetHeader("Accept-Encoding", strings.Join(config.Codings, ", ")) // RFC 9110 12.5.3
				return nano.NewProblem(415, "the server doesn't take a body of this Content-Encoding")
			}
			body, err := c.Body()
			if err != nil {
				return err
			}
			decoded, err := decode(decoder, body, config.MaxBody)
			if err != nil {
				return err
			}
			if err := c.SetBody(decoded); err != nil {
				return err
			}
			return next(c)
		}
	}
}

func decode(decoder func(io.Reader) (io.ReadCloser, error), body []byte, limit int64) ([]byte, error) {
	r, err := decoder(bytes.NewReader(body))
	if err != nil {
		return nil, notDecodable(err)
	}
	defer r.Close()
	decoded, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(decoded)) > limit || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, nano.NewProblem(413, fmt.Sprintf("the body is longer than %d bytes when it is decoded", limit))
	case err != nil:
		return nil, notDecodable(err)
	}
	return decoded, nil
}

func notDecodable(err error) error {
	return nano.NewProblem(400, "the body can't be decoded").Because(err)
}

// decoderOf makes the reader of a coding; nil if it isn't known.
func decoderOf(coding string, limit int64) func(io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "gzip":
		return func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }
	case "br":
		return func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(brotli.NewReader(r)), nil }
	case "zstd":
		window := uint64(min(max(limit, 1<<20), 8<<20)) // 8 MiB at most, as RFC 9659 has it
		return func(r io.Reader) (io.ReadCloser, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(uint64(max(limit, 1<<20))))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}
	}
	return nil
}
