package middleware

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"dyno.example/nano"
)

// credentialFields are fields by which a request says who sends it: those of HTTP, and
// those that [KeyAuth] and sessions use if they aren't told otherwise.
var credentialFields = []string{"Authorization", "Cookie", "X-API-Key", "Proxy-Authorization"}

// personal reports whether a request says who sends it, so that its response may be for
// nobody else.
func personal(c nano.Ctx) bool {
	for _, name := range credentialFields {
		if c.Header(name) != nil {
			return true
		}
	}
	return letIn(c) != "" || len(certificateOf(c)) > 0
}

// sender tells apart who sends requests, by all that they say of it; those that say nothing
// by their clients' addresses.
func sender(c nano.Ctx) string {
	if !personal(c) {
		return "from " + c.RemoteAddr().Addr().String()
	}
	var b strings.Builder
	for _, name := range credentialFields {
		fmt.Fprintf(&b, "%q ", requestList(c, name))
	}
	fmt.Fprintf(&b, "%q %x", letIn(c), sha256.Sum256(certificateOf(c)))
	return b.String()
}

// letIn names whom a middleware before has let in; "": nobody was asked.
func letIn(c nano.Ctx) string {
	owner, _ := KeyOwner.Get(c)
	user, _ := User.Get(c)
	if owner == "" && user == "" {
		return ""
	}
	return fmt.Sprintf("%q %q", owner, user)
}

// certificateOf is the certificate that the client has shown, nil without one.
func certificateOf(c nano.Ctx) []byte {
	state := c.ConnectionState()
	if state == nil || len(state.PeerCertificates) == 0 {
		return nil
	}
	return state.PeerCertificates[0].Raw
}

// requestList are all values of a request's field as one list (RFC 9110 5.3).
func requestList(c nano.Ctx, name string) []byte {
	var all []byte
	n := 0
	for field, value := range c.Headers() {
		if strings.EqualFold(string(field), name) {
			if n++; n > 1 {
				all = append(all, ", "...)
			}
			all = append(all, value...)
		}
	}
	return all
}

// responseList are those of the response.
func responseList(c nano.Ctx, name string) []byte {
	var all [][]byte
	for field, value := range c.ResponseHeaders() {
		if strings.EqualFold(string(field), name) {
			all = append(all, value)
		}
	}
	return bytes.Join(all, []byte(", "))
}
