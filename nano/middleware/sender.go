package middleware

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"dyno.example/nano"
)

// credentialFields are fields that identify the sender of a request: those of HTTP, and
// those that [KeyAuth] and sessions use by default.
var credentialFields = []string{"Authorization", "Cookie", "X-API-Key", "Proxy-Authorization"}

// personal reports whether a request identifies its sender, so that its response may be
// for that sender only.
func personal(c nano.Ctx) bool {
	for _, name := range credentialFields {
		if c.Header(name) != nil {
			return true
		}
	}
	return letIn(c) != "" || len(certificateOf(c)) > 0
}

// sender identifies the sender of a request by all its credentials; without any, by the
// client's address.
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

// letIn is the user that an outer middleware has authenticated; "": none has.
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
