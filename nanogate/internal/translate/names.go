package translate

import (
	"bytes"

	"dyno.example/nano/wire/http1"
)

// Named are the names of fields that a Connection field lists in addition to the usual
// ones: they are for the next hop only (RFC 9110 7.6.1).
type Named struct {
	list [mostNamed][]byte
	N    int
	Many bool // more than are taken
}

const mostNamed = 16

// Read reads the Connection fields of a message.
func (s *Named) Read(fields []http1.Field, b []byte) {
	s.N, s.Many = 0, false
	for i := range fields {
		if name := fields[i].Name; name.Len() == len("connection") && http1.EqualFold(name.Of(b), "connection") {
			s.take(fields[i].Value.Of(b))
		}
	}
}

// take reads one Connection field.
func (s *Named) take(list []byte) {
	for len(list) > 0 {
		var one []byte
		one, list, _ = bytes.Cut(list, []byte(","))
		one = bytes.TrimSpace(one)
		switch {
		case len(one) == 0, http1.EqualFold(one, "keep-alive"), http1.EqualFold(one, "close"), http1.EqualFold(one, "upgrade"), http1.EqualFold(one, "te"):
		case s.N == mostNamed:
			s.Many = true
		case !protected(one):
			s.list[s.N] = one
			s.N++
		}
	}
}

// Has reports whether a name is one of them.
func (s *Named) Has(name []byte) bool {
	for _, one := range s.list[:s.N] {
		if bytes.EqualFold(one, name) {
			return true
		}
	}
	return false
}

// Names are the names; they lie in what was read.
func (s *Named) Names() [][]byte { return s.list[:s.N] }

// protected reports whether a client can't remove a field by listing it: fields that
// frame and route a message, that identify its sender, or that the gateway sets.
func protected(name []byte) bool {
	for _, lower := range [...]string{"host", "content-length", "transfer-encoding", "authorization", "cookie", "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"} {
		if http1.EqualFold(name, lower) {
			return true
		}
	}
	return false
}

// Stripped reports whether a request's field is not forwarded, whatever the client: it is
// for this hop only, the gateway writes its own, or it could make the upstream read the
// request as another one. It is called for every field, so it switches on the length
// first.
func Stripped(name []byte) bool {
	switch len(name) {
	case 2:
		return http1.EqualFold(name, "te")
	case 5:
		return http1.EqualFold(name, "proxy") // HTTP_PROXY to CGI (CVE-2016-5385)
	case 7:
		return http1.EqualFold(name, "upgrade")
	case 9:
		return http1.EqualFold(name, "forwarded") || http1.EqualFold(name, "x-real-ip")
	case 10:
		return http1.EqualFold(name, "connection") || http1.EqualFold(name, "keep-alive")
	case 11:
		return http1.EqualFold(name, "client-cert")
	case 13: // another path than the one that routes, guards and rules have checked
		return http1.EqualFold(name, "x-rewrite-url")
	case 14:
		return http1.EqualFold(name, "http2-settings") || http1.EqualFold(name, "x-original-url")
	case 15:
		return http1.EqualFold(name, "x-forwarded-for")
	case 16:
		return http1.EqualFold(name, "x-forwarded-host") || http1.EqualFold(name, "proxy-connection") || http1.EqualFold(name, "x-forwarded-port")
	case 17:
		return http1.EqualFold(name, "transfer-encoding") || http1.EqualFold(name, "client-cert-chain") || http1.EqualFold(name, "x-forwarded-proto")
	case 23:
		return http1.EqualFold(name, "x-forwarded-client-cert")
	}
	return false
}

// Disguised reports whether a name with underscores would be one of those that are
// stripped, or that a guard or an edit sets, to a server that takes dashes and
// underscores for the same, as CGI does (RFC 3875 4.1.18).
func Disguised(name []byte, drops ...[]string) bool {
	if bytes.IndexByte(name, '_') < 0 || len(name) > 128 {
		return len(name) > 128 && bytes.IndexByte(name, '_') >= 0
	}
	var buf [128]byte
	plain := buf[:copy(buf[:], name)]
	for i, c := range plain {
		if c == '_' {
			plain[i] = '-'
		}
	}
	return Stripped(plain) || Unvouched(plain, false, false) || protected(plain) || Dropped(plain, drops...)
}

// Dropped reports whether a name is in one of the lists, which are in lower case.
func Dropped(name []byte, lists ...[]string) bool {
	for _, list := range lists {
		for _, lower := range list {
			if http1.EqualFold(name, lower) {
				return true
			}
		}
	}
	return false
}

// HopByHop reports whether a response's field is for this hop only.
func HopByHop(name []byte) bool {
	switch len(name) {
	case 2:
		return http1.EqualFold(name, "te")
	case 7:
		return http1.EqualFold(name, "upgrade")
	case 10:
		return http1.EqualFold(name, "connection") || http1.EqualFold(name, "keep-alive")
	case 16:
		return http1.EqualFold(name, "proxy-connection")
	case 17:
		return http1.EqualFold(name, "transfer-encoding")
	}
	return false
}
