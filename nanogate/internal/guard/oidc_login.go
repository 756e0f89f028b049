package guard

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"dyno.example/nanogate/internal/oidc"
	"dyno.example/nanogate/internal/request"
)

// begin redirects a browser that requests a page to the login, from which it returns to the
// page. forget are Set-Cookie values. Other requests get a 401.
func (o *OIDC) begin(r *request.Request, forget []string) *request.Reply {
	if !wantsPage(r) {
		return o.missing
	}
	back := string(r.Path)
	if query := r.Query(); len(query) > 0 {
		back += "?" + string(query)
	}
	if !oidc.SafeTarget(back) {
		back = "/"
	}
	return o.send(r, back, forget)
}

// wantsPage reports whether a request is a browser's that goes to a page: then it can be
// sent to another one. A script, or a form that was filled in, can't.
func wantsPage(r *request.Request) bool {
	if !is(r, "GET", "HEAD") {
		return false
	}
	if _, upgrades := r.Header("upgrade"); upgrades {
		return false
	}
	if mode, ok := r.Header("sec-fetch-mode"); ok && string(mode) != "navigate" {
		return false
	}
	if _, script := r.Header("x-requested-with"); script {
		return false
	}
	return holds(r, "accept", "text/html") || !holds(r, "accept", "json") && !holds(r, "accept", "event-stream") && !holds(r, "accept", "grpc")
}

// send sends a browser to the provider.
func (o *OIDC) send(r *request.Request, back string, forget []string) *request.Reply {
	if !r.Secure && !o.rules.Insecure {
		return o.clear
	}
	location, cookie, ok := o.client.Begin(r, back)
	if !ok {
		o.tell(o.client.Trouble())
		return o.notReady
	}
	return redirect(302, location, append(forget, cookie))
}

// redirect sends a browser elsewhere, and has it keep cookies.
func redirect(status int, location string, cookies []string) *request.Reply {
	fields := request.AppendField(nil, "Location", location)
	fields = request.AppendField(fields, "Cache-Control", "no-store")
	for _, line := range cookies {
		fields = request.AppendField(fields, "Set-Cookie", line)
	}
	return &request.Reply{Status: status, Fields: fields}
}

// with adds cookies to a response.
func with(a *request.Reply, cookies ...string) *request.Reply {
	changed := *a
	changed.Fields = append([]byte(nil), a.Fields...)
	for _, line := range cookies {
		changed.Fields = request.AppendField(changed.Fields, "Set-Cookie", line)
	}
	return &changed
}

// login begins a login on request, such as for a script that got a 401 and sends its
// page here.
func (o *OIDC) login(r *request.Request) *request.Reply {
	if !is(r, "GET", "HEAD") {
		return o.method
	}
	back := "/"
	query, err := url.ParseQuery(string(r.Query()))
	if err != nil || len(query["return"]) > 1 {
		return o.elsewhere
	}
	if wanted := query.Get("return"); wanted != "" {
		if back = wanted; !oidc.SafeTarget(back) {
			return o.elsewhere
		}
	}
	return o.send(r, back, nil)
}

// callback ends a login: the provider has sent the browser here with a code, which is
// worth tokens (RFC 6749 4.1.2).
func (o *OIDC) callback(r *request.Request) *request.Reply {
	if !is(r, "GET") {
		return o.method
	}
	query, err := url.ParseQuery(string(r.Query()))
	if err != nil {
		return o.strange
	}
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(query[name]) > 1 { // RFC 6749 3.1
			return o.strange
		}
	}
	login, forget, err := o.client.Begun(r, query.Get("state"))
	if err != nil || !o.client.SaysIssuer(query.Get("iss")) {
		return o.strange
	}
	code := query.Get("code")
	if code == "" {
		return with(o.refused(query.Get("error")), forget)
	}
	client := network(r.Client)
	if !o.waiting.enter(client) {
		return o.crowded
	}
	if reply := o.codes.Take(client, nil, r.Now); reply != nil {
		o.waiting.leave(client)
		return reply
	}
	a, wrong := *o.away, false
	a.Deferred = &request.Deferred{
		Asks: true, Within: providerWithin,
		Over: func() {
			o.waiting.leave(client)
			if !wrong {
				o.codes.Give(client, nil)
			}
		},
		Work: func(ctx context.Context) func(*request.Request) *request.Reply {
			cookies, err := o.client.Redeem(ctx, login, code)
			wrong = oidc.IsRefused(err)
			return func(*request.Request) *request.Reply {
				if err != nil {
					return with(o.failed(err), forget)
				}
				return redirect(302, login.Back, append(cookies, forget))
			}
		},
	}
	return &a
}

// refused is the response to a login that the provider has ended with an error (RFC
// 6749 4.1.2.1).
func (o *OIDC) refused(code string) *request.Reply {
	if code == "temporarily_unavailable" || code == "server_error" {
		return o.away
	}
	detail := "the identity provider doesn't let you in"
	if code != "" && len(code) <= 64 && !strings.ContainsFunc(code, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		detail += " (" + code + ")"
	}
	return request.Refuse(403, detail, "Cache-Control: no-store\r\n").For(request.RefusedLoginProvider)
}

// failed is the response to a login that failed.
func (o *OIDC) failed(err error) *request.Reply {
	o.tell(err)
	if refused, ok := errors.AsType[*oidc.RefusedError](err); ok {
		return o.refused(refused.Code)
	}
	if _, ok := errors.AsType[*oidc.AwayError](err); ok {
		return o.away
	}
	if large, ok := errors.AsType[*oidc.TooLargeError](err); ok {
		return request.Refuse(502, large.Error(), "Cache-Control: no-store\r\n").For(request.RefusedLoginProvider)
	}
	return request.Refuse(502, "the identity provider's response is not valid", "Cache-Control: no-store\r\n").For(request.RefusedLoginProvider)
}
