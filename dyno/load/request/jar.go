package request

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/load/expect"
)

// Limits of a jar; what is beyond them is not kept.
const (
	maxCookies     = 50
	maxCookieBytes = 4096 // of name, value and path together
)

// Jar holds the cookies of one connection, which plays one user. It does the part of
// RFC 6265 that matters for requests to a single host: name, value and path, and
// removal by Max-Age or Expires. A cookie that lapses later is kept for the whole load.
// Domain, Secure, HttpOnly and SameSite are ignored.
type Jar struct {
	cookies []cookie // those with the longer paths first (RFC 6265 5.4)
	Now     int64    // when the request under way was sent, in ns since 1970
}

type cookie struct{ name, value, path string }

func (j *Jar) empty() bool { return j == nil || len(j.cookies) == 0 }

// Take keeps the cookies that the head of a response to a request for path sets.
// It allocates only if one of them is new, has changed or has a date.
func (j *Jar) Take(head, path []byte) {
	for field := range expect.Fields(head, "set-cookie") {
		c, ok := parseSetCookie(field, j.Now)
		if !ok {
			continue
		}
		if len(c.path) == 0 || c.path[0] != '/' {
			c.path = directory(path)
		}
		j.set(c)
	}
}

func (j *Jar) set(c setCookie) {
	at := slices.IndexFunc(j.cookies, func(o cookie) bool { return o.name == string(c.name) && o.path == string(c.path) })
	switch {
	case c.removed:
		if at >= 0 {
			j.cookies = slices.Delete(j.cookies, at, at+1)
		}
	case len(c.name)+len(c.value)+len(c.path) > maxCookieBytes:
	case at < 0:
		if len(j.cookies) < maxCookies {
			j.insert(cookie{string(c.name), string(c.value), string(c.path)})
		}
	case j.cookies[at].value != string(c.value):
		j.cookies[at].value = string(c.value)
	}
}

func (j *Jar) insert(c cookie) {
	at := 0
	for at < len(j.cookies) && len(j.cookies[at].path) >= len(c.path) {
		at++
	}
	j.cookies = slices.Insert(j.cookies, at, c)
}

// append appends the cookies for path as "name=value; " each.
func (j *Jar) append(dst, path []byte) []byte {
	if j == nil {
		return dst
	}
	for _, c := range j.cookies {
		if !c.isFor(path) {
			continue
		}
		dst = append(dst, c.name...)
		dst = append(dst, '=')
		dst = append(dst, c.value...)
		dst = append(dst, "; "...)
	}
	return dst
}

// isFor matches paths as RFC 6265 5.1.4 says.
func (c *cookie) isFor(path []byte) bool {
	rest, ok := bytes.CutPrefix(path, []byte(c.path))
	return ok && (len(rest) == 0 || rest[0] == '/' || strings.HasSuffix(c.path, "/"))
}

// directory is the default path of a cookie (RFC 6265 5.1.4).
func directory(path []byte) []byte {
	switch end := bytes.LastIndexByte(path, '/'); {
	case end > 0:
		return path[:end]
	case end == 0:
		return path[:1]
	}
	return []byte("/")
}

// PathOf returns the path in the request line at the start of b, without its
// query.
func PathOf(b []byte) []byte {
	_, target, _ := bytes.Cut(b, []byte(" "))
	end := bytes.IndexAny(target, " ?")
	return target[:max(end, 0)]
}

// setCookie is what a Set-Cookie field says. It is a view into the field.
type setCookie struct {
	name, value, path []byte
	removed           bool
}

// parseSetCookie reads the value of a Set-Cookie field (RFC 6265 5.2) that came
// at the given time, in ns since 1970.
func parseSetCookie(field []byte, now int64) (c setCookie, ok bool) {
	pair, rest, _ := bytes.Cut(field, []byte(";"))
	name, value, ok := bytes.Cut(pair, []byte("="))
	c.name, c.value = bytes.Trim(name, " \t"), bytes.Trim(value, " \t")
	if !ok || len(c.name) == 0 || bytes.ContainsFunc(pair, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return c, false
	}
	var expired, aged bool // Max-Age wins over Expires
	for len(rest) > 0 {
		var attribute []byte
		attribute, rest, _ = bytes.Cut(rest, []byte(";"))
		name, value, _ := bytes.Cut(attribute, []byte("="))
		name, value = bytes.Trim(name, " \t"), bytes.Trim(value, " \t")
		switch {
		case bytes.EqualFold(name, []byte("path")):
			c.path = value
		case bytes.EqualFold(name, []byte("max-age")):
			if age, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				aged, c.removed = true, age <= 0
			}
		case bytes.EqualFold(name, []byte("expires")):
			expired = isPast(value, now)
		}
	}
	if !aged {
		c.removed = expired
	}
	return c, true
}

func isPast(date []byte, now int64) bool {
	when, err := http.ParseTime(string(date))
	if err != nil {
		when, err = time.Parse("Mon, 02-Jan-2006 15:04:05 MST", string(date)) // as servers of old write it
	}
	return err == nil && !when.After(time.Unix(0, now))
}
