// Package compress is middleware that compresses responds with zstd, Brotli and gzip, and
// [Decompress], which takes requests that are compressed.
//
//	app.Use(compress.New(compress.Config{}))
//
// # When not to
//
// The length of a compressed response depends on its content. Where one response holds
// both a secret and text that an attacker can choose (a CSRF token, and a search term
// that the page repeats), an attacker that can make a browser send many requests and
// can see the lengths of responses may guess the secret: the BREACH attack. Leave such
// pages out, with a group of their own or "Cache-Control: no-transform", and don't
// compress what holds secrets in fixed form.
package compress

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dyno.example/nano"
)

// Config is how responses are compressed.
type Config struct {
	// Types are the media types to compress, in lower case, without parameters;
	// "text/*" stands for all of text but event streams. The default is text/*,
	// JSON, JavaScript, XML, "+json" and "+xml" types, SVG, WebAssembly, and fonts
	// that aren't compressed already.
	Types []string
	// MinSize is the size in bytes from which on a response is compressed: smaller
	// ones fit into a packet anyway. Default 1024. Streams of unknown length are
	// compressed always.
	MinSize int64
	// Codings are those on offer, the best first, of "zstd", "br" and "gzip"; default
	// zstd and gzip, as Brotli takes several times their time for what it saves. A
	// client's preference (q-values) goes before this order.
	Codings []string
	// GzipLevel is 1 (fast) to 9 (small); default 5. ZstdLevel is 1 to 4, as the
	// library's SpeedFastest to SpeedBestCompression; default 1. BrotliLevel is 1 to 11;
	// default 4.
	GzipLevel, ZstdLevel, BrotliLevel int
}

var defaultTypes = []string{
	"text/*", "application/json", "application/javascript", "application/xml", "application/xhtml+xml",
	"application/problem+json", "application/*+json", "application/*+xml", "image/svg+xml", "image/x-icon",
	"application/wasm", "application/x-ndjson", "application/vnd.ms-fontobject", "font/ttf", "font/otf",
}

// New returns the middleware. It panics if the config can't work.
//
// A response is compressed if the client accepts a coding, its type is listed and it is
// large enough, and unless it has a Content-Encoding already, is a part (206,
// Content-Range), has no content (the response to HEAD has the fields of GET), or says
// Cache-Control: no-transform. Strong ETags become weak ones: the bytes are no longer
// those the tag was made for (RFC 9110 8.8.3). Vary names Accept-Encoding for all
// responses that are compressed for some clients.
//
// Streams are compressed as they are written; a Flush reaches the client.
func New(config Config) nano.Middleware {
	p := newCompressor(config)
	before := p.before
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.BeforeResponse(before)
			return next(c)
		}
	}
}

type compressor struct {
	Config
	offers []string // Codings, and identity
	pools  map[string]*pool
}

func newCompressor(config Config) *compressor {
	p := &compressor{Config: config, pools: map[string]*pool{}}
	if p.Types == nil {
		p.Types = defaultTypes
	}
	if p.MinSize == 0 {
		p.MinSize = 1024
	}
	if p.Codings == nil {
		p.Codings = []string{"zstd", "gzip"}
	}
	if p.GzipLevel == 0 {
		p.GzipLevel = 5
	}
	if p.ZstdLevel == 0 {
		p.ZstdLevel = 1
	}
	if p.BrotliLevel == 0 {
		p.BrotliLevel = 4
	}
	if p.GzipLevel < 1 || p.GzipLevel > 9 || p.ZstdLevel < 1 || p.ZstdLevel > 4 || p.BrotliLevel < 1 || p.BrotliLevel > 11 {
		panic(fmt.Sprintf("compress: GzipLevel is 1 to 9, ZstdLevel 1 to 4 and BrotliLevel 1 to 11, not %d, %d and %d", p.GzipLevel, p.ZstdLevel, p.BrotliLevel))
	}
	for _, coding := range p.Codings {
		switch coding {
		case "zstd":
			p.pools[coding] = newZstdPool(p.ZstdLevel)
		case "gzip":
			p.pools[coding] = newGzipPool(p.GzipLevel)
		case "br":
			p.pools[coding] = newBrotliPool(p.BrotliLevel)
		default:
			panic("compress: " + coding + " is not a coding; there are zstd, br and gzip")
		}
	}
	p.offers = append(slices.Clone(p.Codings), "identity")
	return p
}

// before decides about a response.
func (p *compressor) before(c nano.Ctx, a *nano.Response) {
	if a.Status() == 304 {
		confirm(c)
		return
	}
	if !p.eligible(c, a) {
		return
	}
	c.Vary("Accept-Encoding")
	name := c.AcceptsEncoding(p.offers...)
	if name == "" || name == "identity" {
		return
	}
	c.SetHeader("Content-Encoding", name)
	if tag := c.ResponseHeader("ETag"); isStrong(tag) {
		c.SetHeader("ETag", "W/"+string(tag))
	}
	a.RemoveHeader("Accept-Ranges") // of what isn't sent
	a.Filter(&coding{home: p.pools[name]})
}

// confirm gives a 304 the tag and the Vary of the compressed response, if that is
// what the client has: a cache takes a strong tag to be about what it has stored
// with the same one (RFC 9110 15.4.5, RFC 9111 4.3.4).
func confirm(c nano.Ctx) {
	tag := c.ResponseHeader("ETag")
	if !isStrong(tag) {
		return
	}
	if weak := "W/" + string(tag); bytes.Contains(c.Header("If-None-Match"), []byte(weak)) {
		c.SetHeader("ETag", weak)
		c.Vary("Accept-Encoding")
	}
}

func isStrong(tag []byte) bool { return len(tag) > 0 && tag[0] == '"' }

// eligible reports whether the response would be compressed for some client.
func (p *compressor) eligible(c nano.Ctx, a *nano.Response) bool {
	switch s := a.Status(); {
	case s == 204 || s == 205 || s == 206 || s == 304:
		return false
	case a.Length() >= 0 && a.Length() < p.MinSize:
		return false
	case c.ResponseHeader("Content-Encoding") != nil || c.ResponseHeader("Content-Range") != nil:
		return false
	case lists(c.ResponseHeader("Cache-Control"), "no-transform"):
		return false
	}
	return p.listed(c.ResponseHeader("Content-Type"))
}

// lists reports whether a field value that is a comma-separated list holds a token,
// whatever its case (RFC 9110 5.6.1).
func lists(value []byte, token string) bool {
	for member := range bytes.SplitSeq(value, []byte(",")) {
		if bytes.EqualFold(bytes.TrimSpace(member), []byte(token)) {
			return true
		}
	}
	return false
}

// listed reports whether a media type is to be compressed.
func (p *compressor) listed(contentType []byte) bool {
	kind, _, _ := bytes.Cut(contentType, []byte(";"))
	kind = bytes.TrimSpace(kind)
	for _, t := range p.Types {
		prefix, suffix, wild := strings.Cut(t, "*")
		if !wild {
			if len(kind) == len(t) && strings.EqualFold(string(kind), t) {
				return true
			}
			continue
		}
		if n := len(kind) - len(suffix); n > len(prefix) && strings.EqualFold(string(kind[:len(prefix)]), prefix) &&
			strings.EqualFold(string(kind[n:]), suffix) && !strings.EqualFold(string(kind), "text/event-stream") {
			return true
		}
	}
	return false
}
