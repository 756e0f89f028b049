package cache

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// Key finds what is stored of a URL, or of a kind of request for one: a hash with keys of
// this process's own, so that collisions can't be constructed. What is found is compared
// with the URL all the same.
type Key [2]uint64

// seeds are the store's own.
type seeds [2]maphash.Seed

func newSeeds() seeds { return seeds{maphash.MakeSeed(), maphash.MakeSeed()} }

func (s *seeds) key(b []byte) Key { return Key{maphash.Bytes(s[0], b), maphash.Bytes(s[1], b)} }

// AppendURL appends the URL of a request: scheme, host and full target, of which the
// host is in lower case, without its scheme's port, and the path canonical. Nothing is
// appended if the request names no host, as then the URL isn't known.
func AppendURL(dst []byte, r *request.Request) []byte {
	scheme := "http"
	if r.Secure {
		scheme = "https"
	}
	host := r.Authority()
	if len(host) == 0 || r.Head.Form == http1.AsteriskForm {
		return dst
	}
	return appendURL(dst, scheme, host, r.Path, r.Query())
}

func appendURL(dst []byte, scheme string, host, path, query []byte) []byte {
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	dst = append(append(dst, scheme...), "://"...)
	from := len(dst)
	dst = append(dst, host...)
	for i := from; i < len(dst); i++ {
		if c := dst[i]; c >= 'A' && c <= 'Z' {
			dst[i] = c - 'A' + 'a'
		}
	}
	if bytes.HasSuffix(dst[from:], []byte(port)) {
		dst = dst[:len(dst)-len(port)]
	} else if dst[len(dst)-1] == ':' {
		dst = dst[:len(dst)-1]
	}
	dst = append(dst, path...)
	if len(query) > 0 {
		dst = append(append(dst, '?'), query...)
	}
	return dst
}

// ParseURL writes a URL as [AppendURL] does. keeps says of which paths there
// are URLs.
func ParseURL(text string, keeps request.Keeps) ([]byte, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("expected http://host/path or https://host/path")
	}
	return appendParsed(u, keeps)
}

func appendParsed(u *url.URL, keeps request.Keeps) ([]byte, error) {
	path, err := request.AppendCanonical(nil, []byte(u.EscapedPath()), keeps)
	if err != nil {
		return nil, err
	}
	return appendURL(nil, u.Scheme, []byte(u.Host), path, []byte(u.RawQuery)), nil
}

var errOtherOrigin = errors.New("it is of another origin")

// resolve writes the URL that a reference in a response to a request for base means
// (RFC 3986 5). One of another origin is an error.
func resolve(base, reference []byte, keeps request.Keeps) ([]byte, error) {
	from, err := url.Parse(string(base))
	if err != nil {
		return nil, fmt.Errorf("the request's URL: %w", err)
	}
	to, err := from.Parse(string(reference))
	if err != nil {
		return nil, err
	}
	whole, err := appendParsed(to, keeps)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(origin(whole), origin(base)) {
		return nil, errOtherOrigin
	}
	return whole, nil
}

// origin is the scheme and host of a URL.
func origin(url []byte) []byte {
	at := bytes.Index(url, []byte("://")) + len("://")
	if slash := bytes.IndexByte(url[at:], '/'); slash >= 0 {
		return url[:at+slash]
	}
	return url
}
