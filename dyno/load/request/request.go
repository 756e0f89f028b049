package request

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/load/expect"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// DefaultTimeout is how long a request may take from its sending, unless it is said.
const DefaultTimeout = 10 * time.Second

// Header is one header field of a request, in the order it is sent.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Request is one kind of request in the mix. Path, header values, body,
// credentials and cookie values are templates; see package template for what
// they can hold.
type Request struct {
	Name    string   `json:"name"`
	Method  string   `json:"method"`
	Path    string   `json:"path"` // path and query, starting with "/"
	Headers []Header `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
	Auth    string   `json:"auth,omitempty"`       // "basic USER:PASSWORD" or "bearer TOKEN"; empty for none
	Cookies []Header `json:"cookies,omitempty"`    // sent with every request
	Jar     bool     `json:"cookie_jar,omitempty"` // each connection sends back the cookies that responses have set
	Weight  int      `json:"weight,omitempty"`     // share in the mix; 0 means 1
	Status  int      `json:"status,omitempty"`     // expected status; 0 means any from 200 to 399, or what Expect says
	Expect  []string `json:"expect,omitempty"`     // what responses are held to; see package expect for the lines
	GRPC    *GRPC    `json:"grpc,omitempty"`       // it is a call over gRPC
}

// Check reports what is wrong with the request, or nil. Placeholders may refer
// to what env has.
func (r *Request) Check(env *template.Env) error {
	if err := r.checkMethod(); err != nil {
		return err
	}
	if err := checkPath(r.Path, env); err != nil {
		return err
	}
	for _, h := range r.Headers {
		if !isToken(h.Name) {
			return i18n.Errorf("request.bad-header-name", "header name %q is not valid", h.Name)
		}
		if err := checkValue("header "+h.Name, h.Value, env, "\x00\r\n"); err != nil {
			return err
		}
	}
	if r.GRPC != nil {
		if err := r.GRPC.check(r, env); err != nil {
			return err
		}
	} else if _, err := template.Compile(r.Body, env); err != nil {
		return i18n.Errorf("request.body", "body: %w", err)
	}
	if err := r.checkIdentity(env); err != nil {
		return err
	}
	if r.Weight < 0 {
		return i18n.Errorf("request.negative-weight", "weight %d is negative", r.Weight)
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return i18n.Errorf("request.bad-expected-status", "expected status %d is not between 200 and 599", r.Status)
	}
	e, err := r.Expectations()
	if err == nil && r.GRPC == nil && e.SaysCode() {
		return i18n.Errorf("request.grpc-status-of-http", "grpc NAME is expected of calls over gRPC only; of HTTP write status 200")
	}
	return err
}

// Expectations compiles what is expected of responses.
func (r *Request) Expectations() (*expect.Expect, error) {
	lines := r.Expect
	if r.Status != 0 {
		lines = append([]string{"status " + strconv.Itoa(r.Status)}, lines...)
	}
	return expect.Parse(lines)
}

func (r *Request) checkMethod() error {
	if r.Method != "" && !isToken(r.Method) {
		return i18n.Errorf("request.bad-method", "method %q is not an HTTP method", r.Method)
	}
	if r.Method == "CONNECT" {
		return i18n.Errorf("request.connect-is-tunnel", "method CONNECT opens a tunnel and can't be measured as a request")
	}
	return nil
}

func checkPath(path string, env *template.Env) error {
	t, err := template.Compile(path, env)
	if err != nil {
		return i18n.Errorf("request.path", "path: %w", err)
	}
	if from, ok := t.Starts("/"); !ok && path != "*" {
		if from != "" {
			return i18n.Errorf("request.path-needs-slash-from", "path %q must start with \"/\", also with %s", path, from)
		}
		return i18n.Errorf("request.path-needs-slash", "path %q must start with \"/\"", path)
	}
	for from, text := range t.Texts() {
		if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			if from == "" {
				return i18n.Errorf("request.bad-path", "path %q holds white space or a control character; write it as %%20 or the like", path)
			}
			return i18n.Errorf("request.placeholder-in-path", "%s: %q holds white space or a control character and can't be in a path; write the placeholder as {{url …}}", from, text)
		}
	}
	return nil
}

// checkValue checks a template whose texts go into a header. Control characters
// never may, nor any of the characters in not.
func checkValue(what, value string, env *template.Env, not string) error {
	t, err := template.Compile(value, env)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	for from, text := range t.Texts() {
		if from != "" {
			from = " (" + from + ")"
		}
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return i18n.Errorf("request.control-character", "value of %s holds a control character%s", what, from)
		}
		if at := strings.IndexAny(text, not); at >= 0 {
			return i18n.Errorf("request.value-holds", "value of %s holds %q%s", what, text[at], from)
		}
	}
	return nil
}

// checkIdentity checks credentials and cookies.
func (r *Request) checkIdentity(env *template.Env) error {
	if r.Auth != "" {
		if _, _, err := r.credentials(); err != nil {
			return err
		}
		if err := checkValue("auth", r.Auth, env, ""); err != nil {
			return err
		}
		if r.has("Authorization") {
			return i18n.Errorf("request.auth-and-header", "both auth and a header Authorization are given; remove one of them")
		}
	}
	for _, c := range r.Cookies {
		if !isToken(c.Name) {
			return i18n.Errorf("request.bad-cookie-name", "cookie name %q is not valid", c.Name)
		}
		if err := checkValue("cookie "+c.Name, c.Value, env, ";"); err != nil {
			return err
		}
	}
	if (len(r.Cookies) > 0 || r.Jar) && r.has("Cookie") {
		return i18n.Errorf("request.cookies-and-header", "both cookies and a header Cookie are given; remove one of them")
	}
	return nil
}

// has reports whether a header is given.
func (r *Request) has(name string) bool {
	for _, h := range r.Headers {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return false
}

// credentials splits Auth. The error doesn't repeat them.
func (r *Request) credentials() (scheme, secret string, err error) {
	scheme, secret, _ = strings.Cut(strings.TrimSpace(r.Auth), " ")
	secret = strings.TrimSpace(secret)
	switch scheme = strings.ToLower(scheme); {
	case scheme == "basic" && strings.Contains(secret, ":"), scheme == "bearer" && secret != "":
		return scheme, secret, nil
	}
	return "", "", i18n.Errorf("request.auth-form", "auth must be basic USER:PASSWORD or bearer TOKEN")
}

func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		return !alnum && !strings.ContainsRune(marks, c)
	})
}
