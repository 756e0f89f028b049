package nano

import (
	"fmt"
	"net/url"

	"dyno/nano/wire/http1"
)

// Redirect sends the client to a URL, relative or absolute: 301 and 308 for good,
// 302, 303 and 307 for now; 307 and 308 keep method and body, 303 asks with GET
// (RFC 9110 15.4). Other statuses panic. A URL that can't be sent, with a line
// break or not a URL, is an error.
//
// A URL that came from a client sends people wherever it says: use
// [Ctx.LocalRedirect] for these.
func (c Ctx) Redirect(code int, to string) error {
	switch code {
	case 301, 302, 303, 307, 308:
	default:
		panic(fmt.Sprintf("nano: %d is not the status of a redirect (301, 302, 303, 307, 308)", code))
	}
	if !http1.ValidFieldValue(to) || to == "" {
		return fmt.Errorf("nano: redirect to %q, which can't be sent", to)
	}
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("nano: redirect: %w", err)
	}
	c.SetHeader("Location", u.String())
	return c.NoContent(code)
}

// LocalRedirect is Redirect for a URL that came from a client: one that leads to
// another host is a [Problem] of status 400.
func (c Ctx) LocalRedirect(code int, to string) error {
	if !isLocal(to) {
		return NewProblem(400, "the URL to go to is not one of this site")
	}
	return c.Redirect(code, to)
}

// isLocal: a path. Browsers take "\" for "/", and "//" and "/\" begin a host;
// they also drop tabs and line breaks.
func isLocal(to string) bool {
	if len(to) == 0 || to[0] != '/' || len(to) > 1 && (to[1] == '/' || to[1] == '\\') {
		return false
	}
	for i := range len(to) {
		if to[i] < ' ' || to[i] == 0x7f || to[i] == '\\' {
			return false
		}
	}
	return true
}
