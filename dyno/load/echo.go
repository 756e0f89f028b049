package load

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
)

// shortestSecret is the length from which a value is looked for in what servers send. A
// shorter one would match everywhere.
const shortestSecret = 4

// echoed blanks the secrets of requests out of responses: error pages and debugging
// endpoints echo the request.
type echoed struct {
	texts    []string // as a response may have them, the longest first
	replacer *strings.Replacer
}

// newEchoed collects the values of headers whose names say that they are secrets, cookies
// and credentials. What a template makes for each request isn't known.
func newEchoed(requests []request.Request) *echoed {
	var e echoed
	for i := range requests {
		r := &requests[i]
		for _, h := range r.Headers {
			if request.IsSecret(h.Name) {
				e.add(h.Value)
				if strings.HasSuffix(strings.ToLower(h.Name), "authorization") {
					e.addCredentials(h.Value)
				}
			}
		}
		for _, c := range r.Cookies {
			e.add(c.Value)
		}
		e.addCredentials(r.Auth)
	}
	if len(e.texts) == 0 {
		return &e
	}
	slices.SortFunc(e.texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	e.texts = slices.Compact(e.texts)
	var pairs []string
	for _, text := range e.texts {
		pairs = append(pairs, text, request.Redacted)
	}
	e.replacer = strings.NewReplacer(pairs...)
	return &e
}

// add adds a value in the ways in which pages and documents write it.
func (e *echoed) add(value string) {
	value, err := template.Environ(strings.TrimSpace(value), os.LookupEnv)
	if err != nil || len(value) < shortestSecret || strings.Contains(value, "{{") {
		return
	}
	quoted := strconv.Quote(value)
	e.texts = append(e.texts, value, quoted[1:len(quoted)-1], url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value))
}

// addCredentials adds what stands behind the scheme, and of user and password both forms
// (RFC 7617 2).
func (e *echoed) addCredentials(value string) {
	scheme, secret, ok := strings.Cut(strings.TrimSpace(value), " ")
	if !ok {
		return
	}
	secret = strings.TrimSpace(secret)
	e.add(secret)
	if !strings.EqualFold(scheme, "basic") {
		return
	}
	pair := secret
	if decoded, err := base64.StdEncoding.DecodeString(secret); err == nil {
		pair = string(decoded)
	} else if filled, err := template.Environ(secret, os.LookupEnv); err == nil {
		e.add(base64.StdEncoding.EncodeToString([]byte(filled)))
	}
	_, password, found := strings.Cut(pair, ":")
	if found {
		e.add(pair)
		e.add(password)
	}
}

// hide returns a text without the secrets, also without the beginning of one that it was
// cut in.
func (e *echoed) hide(text string) string {
	if e.replacer == nil {
		return text
	}
	text = e.replacer.Replace(text)
	for _, end := range []string{`"…`, "…"} { // quoted, or as it came
		if whole, isCut := strings.CutSuffix(text, end); isCut {
			return e.withoutBeginning(whole) + end
		}
	}
	return text
}

// withoutBeginning returns a text without the beginning of a secret at its end.
func (e *echoed) withoutBeginning(text string) string {
	for _, secret := range e.texts {
		for n := min(len(secret)-1, len(text)); n >= shortestSecret; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + request.Redacted
			}
		}
	}
	return text
}

// inResult hides the secrets in what a result has of responses.
func (e *echoed) inResult(r *Result) {
	for kind, text := range r.FirstErrors {
		r.FirstErrors[kind] = text.Map(e.hide)
	}
	for i := range r.Failures {
		f := &r.Failures[i]
		f.Why, f.Sent, f.Received = f.Why.Map(e.hide), e.hide(f.Sent), e.hide(f.Received)
	}
	for i := range r.Causes {
		r.Causes[i].Name = e.hide(r.Causes[i].Name)
	}
	r.Location = e.hide(r.Location)
}
