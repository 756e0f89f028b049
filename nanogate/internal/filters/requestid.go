package filters

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"dyno.example/internal/yamlfile"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
)

// requestID gives each request an id, in a field that both the upstream and the client get.
var requestID = Kind{
	Name:  "request-id",
	Phase: filter.Access,
	Doc:   "`on`, or `{header: x-request-id, keep: false}`: an id of 32 hexadecimal digits for each request, in a field that the upstream and the client get; with `keep: true` one that the client sends is kept, if it has 1 to 128 letters, digits, dots, dashes and underscores",
	Read:  readRequestID,
}

func readRequestID(p yamlfile.Place) Maker {
	f := withID{header: "x-request-id"}
	if word, ok := p.Scalar(); ok && (word == "on" || word == "true") {
		return f.made
	}
	if !p.IsMapping() {
		p.Problem("", "expected on, or fields, got %s", p.Describe())
	}
	for _, e := range p.Entries() {
		switch e.Key {
		case "header":
			f.header, _ = e.Value.Scalar()
			f.header = strings.ToLower(f.header)
			if !http1.ValidToken(f.header) || request.Reserved(f.header) {
				e.Value.Problem("such as x-request-id", "expected the name of a field that has no meaning yet, got %s", e.Value.Describe())
			}
		case "keep":
			f.keep = e.Value.Boolean()
		default:
			e.Unknown([]string{"header", "keep"})
		}
	}
	return f.made
}

// withID is the filter.
type withID struct {
	header string // in lower case
	keep   bool
}

func (f withID) made() (filter.Filter, error) { return f, nil }

// Check gives a request its id. Ids are random, and no secret.
func (f withID) Check(r *request.Request) *request.Reply {
	if f.keep {
		if sent, ok := r.Header(f.header); ok && isID(sent) {
			r.Forward(f.header, sent) // the only one, however many were sent
			r.Respond(f.header, sent)
			return nil
		}
	}
	var id [16]byte
	var text [32]byte
	for i := 0; i < len(id); i += 8 {
		for n, at := rand.Uint64(), i; at < i+8; n, at = n>>8, at+1 {
			id[at] = byte(n)
		}
	}
	hex.Encode(text[:], id[:])
	r.Forward(f.header, text[:])
	r.Respond(f.header, text[:])
	return nil
}

// isID reports whether what a client sent may be written into logs and fields as it is.
func isID(b []byte) bool {
	for _, c := range b {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return len(b) >= 1 && len(b) <= 128
}
