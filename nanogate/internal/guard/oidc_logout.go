package guard

import (
	"context"
	"net/url"
	"strings"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

const (
	revokeWithin = 5 * time.Second // that a browser waits for it
	mostForm     = 64 << 10        // bytes of what a provider sends
)

// logout ends a session here and, if it can, at the provider: its tokens are revoked (RFC
// 7009), and the browser is sent there (OpenID Connect RP-Initiated Logout 1.0). Another site
// can't have a browser log out.
func (o *OIDC) logout(r *request.Request) *request.Reply {
	if !is(r, "GET", "POST") {
		return request.Refuse(405, "", "Allow: GET, POST\r\n").For(request.RefusedMethod)
	}
	if site, sites := only(r, "sec-fetch-site"); sites > 1 || sites == 1 && string(site) == "cross-site" {
		return request.Refuse(403, "a page of another site can't log you out", "Cache-Control: no-store\r\n").For(request.RefusedForged)
	}
	after := o.rules.After
	if strings.HasPrefix(after, "/") {
		after = o.client.Origin(r) + after
	}
	var parts [oidc.MostCookies][]byte
	var session *oidc.Session
	if n := o.client.Cookies.Parts(r, &parts); n > 0 {
		session, _ = o.client.Open(o.client.Keys(), parts[:n]) // else there is none
	}
	location := o.rules.After
	if session != nil {
		if at := o.client.LogoutURL(session, after); at != "" {
			location = at
		}
	}
	return o.revoke(r, session, redirect(303, location, o.client.Cookies.Forget()))
}

// revoke revokes a session's tokens before the response is sent. If that isn't possible, or
// not in time, the browser is logged out all the same.
func (o *OIDC) revoke(r *request.Request, session *oidc.Session, reply *request.Reply) *request.Reply {
	if session == nil || !o.client.Revokes(session) {
		return reply
	}
	client := network(r.Client)
	if !o.waiting.enter(client) {
		return o.crowded
	}
	later := *reply
	later.Deferred = &request.Deferred{
		Asks: true, Within: revokeWithin,
		Over: func() { o.waiting.leave(client) },
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			o.tell(o.client.Revoke(context.WithoutCancel(ctx), session)) // also if the client has gone
			return func(*request.Request) *request.Reply { return reply }
		},
	}
	return &later
}

// backChannel receives from the provider which sessions have ended (OpenID Connect
// Back-Channel Logout 1.0, 2.5). Its tokens are signed, so the path needs no other
// protection.
func (o *OIDC) backChannel(r *request.Request) *request.Reply {
	if !is(r, "POST") {
		return request.Refuse(405, "", "Allow: POST\r\nCache-Control: no-store\r\n").For(request.RefusedMethod)
	}
	if kind, n := only(r, "content-type"); n != 1 || !strings.HasPrefix(strings.ToLower(string(kind)), "application/x-www-form-urlencoded") {
		return request.Refuse(415, "a form is expected", "Cache-Control: no-store\r\n").For(request.RefusedBody)
	}
	client := network(r.Client)
	if !o.waiting.enter(client) {
		return o.crowded
	}
	var form []byte
	a := *o.away
	a.Deferred = &request.Deferred{
		Asks: true, Within: providerWithin,
		Over:    func() { o.waiting.leave(client) },
		Content: func(body []byte) { form = body },
		Most:    mostForm,
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			reply := o.loggedOut(ctx, form)
			return func(*request.Request) *request.Reply { return reply }
		},
	}
	return &a
}

// loggedOut ends the sessions that a form's token names (2.8).
func (o *OIDC) loggedOut(ctx context.Context, form []byte) *request.Reply {
	values, err := url.ParseQuery(string(form))
	if err == nil && len(values["logout_token"]) == 1 {
		if err = o.client.LogOut(ctx, values.Get("logout_token")); err == nil {
			return &request.Reply{Status: 200, Fields: []byte("Cache-Control: no-store\r\n")}
		}
		o.told.Warn(o.log, clock.Now(), "oidc", "issuer", o.rules.Issuer, "logout", err)
	}
	return &request.Reply{
		Status: 400, Fields: []byte("Content-Type: application/json\r\nCache-Control: no-store\r\n"),
		Body: []byte(`{"error":"invalid_request","error_description":"no session was ended: the logout token can't be believed, or the logout can't be told to other gateways"}`),
	}
}
