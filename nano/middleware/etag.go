package middleware

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"

	"dyno.example/nano"
	"dyno.example/nano/wire/http1"
)

// ETagConfig is how [ETag] works.
type ETagConfig struct {
	// Weak marks tags as weak (RFC 9110 8.8.1): responses that differ in bytes only may
	// share them, and range requests can't use them.
	Weak bool
	// MaxBody is the size in bytes up to which a response is hashed; default 1 MiB.
	MaxBody int
}

// ETag gives responses of status 200 to GET and HEAD a tag made of their content, and
// sends 304 to clients that have it. The handler still does its work; what is saved is
// the network. Streamed responses, and those that say no-store, get none. A response
// with a tag of its own keeps it.
//
// The tag is 128 bits of the SHA-256 of the content, the same on every server.
// Where the content is compressed further inside or outside, it is weak.
func ETag(config ETagConfig) nano.Middleware {
	if config.MaxBody == 0 {
		config.MaxBody = 1 << 20
	}
	before := config.before
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			c.BeforeResponse(before)
			return next(c)
		}
	}
}

func (e ETagConfig) before(c nano.Ctx, a *nano.Response) {
	m := string(c.Method())
	if m != "GET" && m != "HEAD" || a.Status() != 200 {
		return
	}
	tag := c.ResponseHeader("ETag")
	if tag == nil {
		if tag = e.tagOf(c, a); tag == nil {
			return
		}
		c.SetHeader("ETag", string(tag))
	}
	if _, whole := a.Body(); whole && matches(c.Header("If-None-Match"), tag) {
		notModified(c, a)
	}
}

func (e ETagConfig) tagOf(c nano.Ctx, a *nano.Response) []byte {
	body, whole := a.Body()
	if !whole || len(body) == 0 || len(body) > e.MaxBody || http1.ListHas(c.ResponseHeader("Cache-Control"), "no-store") {
		return nil
	}
	sum := sha256.Sum256(body)
	tag := make([]byte, 0, 28)
	if e.Weak || c.ResponseHeader("Content-Encoding") != nil {
		tag = append(tag, "W/"...)
	}
	tag = append(tag, '"')
	tag = base64.RawURLEncoding.AppendEncode(tag, sum[:16])
	return append(tag, '"')
}

// notModified makes the response a 304, with the fields that belong to one (RFC
// 9110 15.4.5).
func notModified(c nano.Ctx, a *nano.Response) {
	a.SetStatus(304)
	a.Replace(nil)
	for _, name := range [...]string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Length"} {
		a.RemoveHeader(name)
	}
}

// matches evaluates If-None-Match, which compares weakly (RFC 9110 13.1.2).
func matches(list, tag []byte) bool {
	if string(list) == "*" {
		return true
	}
	opaque := bytes.TrimPrefix(tag, []byte("W/"))
	for len(list) > 0 {
		list = bytes.TrimLeft(list, " \t,")
		list = bytes.TrimPrefix(list, []byte("W/"))
		if len(list) == 0 || list[0] != '"' {
			return false
		}
		end := bytes.IndexByte(list[1:], '"') + 2
		if end < 2 {
			return false
		}
		if bytes.Equal(list[:end], opaque) {
			return true
		}
		list = list[end:]
	}
	return false
}
