package nano

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"

	"dyno/nano/wire/http1"
)

// Routes returns all routes, those of mounted apps too, in the order of
// registration.
func (a *App) Routes() []*Route { return append([]*Route(nil), a.router.routes...) }

// WriteRoutes writes the routes as a table.
func (a *App) WriteRoutes(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range a.router.routes {
		method := r.method
		if method == "" {
			method = "any"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", method, r.host+r.pattern, r.name, strings.Join(r.Middleware(), " "))
	}
	return t.Flush()
}

// URL returns the URL of the route with the name: its path, after "//" and the
// host if it has one. The values are pairs of a parameter's name and its value,
// unescaped; the value of {name...} may hold slashes. An optional parameter without
// a value ends the path before it. A subtree pattern gives the URL of its root.
func (a *App) URL(name string, values ...string) (string, error) {
	r := a.router.names[name]
	if r == nil {
		return "", fmt.Errorf("nano: no route has the name %q", name)
	}
	if len(values)%2 != 0 {
		return "", fmt.Errorf("nano: URL of %s: the last parameter, %q, has no value", name, values[len(values)-1])
	}
	given := map[string]string{}
	for i := 0; i < len(values); i += 2 {
		given[values[i]] = values[i+1]
	}
	to, err := r.url(given)
	if err == nil {
		for unknown := range given {
			err = fmt.Errorf("the pattern has no {%s}", unknown)
		}
	}
	if err != nil {
		return "", fmt.Errorf("nano: URL of %s, %s: %w", name, r.pattern, err)
	}
	return to, nil
}

// url fills the route's pattern. It takes the values it needs out of given.
func (r *Route) url(given map[string]string) (string, error) {
	var b strings.Builder
	host := r.host
	if r.hostParam {
		_, rest, _ := strings.Cut(host, ".")
		label, err := take(given, r.params[0])
		if err != nil || label == "" || strings.ContainsFunc(label, notInLabel) {
			return "", fmt.Errorf("{%s} must be one label of a host name", r.params[0])
		}
		host = label + "." + rest
	}
	if host != "" {
		b.WriteString("//" + host)
	}
	from := b.Len()
	path := r.pattern
	for more := true; more; {
		var text string
		text, path, more = cutSegment(path[1:])
		b.WriteByte('/')
		switch {
		case text == "{$}":
		case !strings.ContainsAny(text, "{}"):
			b.Write(literalURL(text))
		default:
			ended, err := writeSegment(&b, text, given)
			if err != nil {
				return "", err
			}
			if ended {
				return b.String()[:from] + cmp.Or(strings.TrimSuffix(b.String()[from:], "/"), "/"), nil
			}
		}
	}
	return b.String(), nil
}

// writeSegment fills a segment with parameters. It reports true at an optional one
// without a value, which ends the path.
func writeSegment(b *strings.Builder, text string, given map[string]string) (ended bool, err error) {
	var p pattern
	s, err := p.parseSegment(text)
	if err != nil {
		return false, err // it was right at registration
	}
	if s.rest {
		return false, writeRest(b, p.params[0], given)
	}
	if _, ok := given[p.params[0]]; s.optional && !ok {
		return true, nil
	}
	var canonical []byte
	var values []string
	for i, name := range p.params {
		value, err := take(given, name)
		if err != nil {
			return false, err
		}
		values = append(values, value)
		canonical = append(canonical, s.texts[i]...)
		canonical = appendCanonicalOf(canonical, value)
	}
	canonical = append(canonical, s.texts[len(p.params)]...)
	var spans [maxParams]http1.Span
	matches := !isDots(canonical) && s.match(canonical, 0, spans[:])
	for i, value := range values {
		if !matches || string(appendDecoded(nil, spans[i].Of(canonical))) != value {
			return false, fmt.Errorf("{%s} can't be %q: the route would not match it", p.params[i], value)
		}
	}
	b.WriteString(url.PathEscape(string(appendDecoded(nil, canonical))))
	return false, nil
}

// appendCanonicalOf appends a value in canonical form.
func appendCanonicalOf(dst []byte, value string) []byte {
	for i := range len(value) {
		switch c := value[i]; c {
		case '/':
			dst = append(dst, "%2F"...)
		case '%':
			dst = append(dst, "%25"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// take returns a value and notes that it was used.
func take(given map[string]string, name string) (string, error) {
	value, ok := given[name]
	if !ok {
		return "", fmt.Errorf("{%s} has no value", name)
	}
	delete(given, name)
	return value, nil
}

// writeRest fills {name...}, whose value may hold slashes.
func writeRest(b *strings.Builder, name string, given map[string]string) error {
	value, err := take(given, name)
	if err != nil {
		return err
	}
	segments := strings.Split(value, "/")
	for i, s := range segments {
		if s == "." || s == ".." || s == "" && i < len(segments)-1 {
			return fmt.Errorf("{%s} can't be %q: no clean path holds it", name, value)
		}
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(url.PathEscape(s))
	}
	return nil
}

// literalURL returns a static segment of a pattern as it is sent.
func literalURL(segment string) []byte {
	canonical, _ := appendCanonical(nil, []byte(segment)) // checked at registration
	return appendEncoded(nil, canonical)
}

func notInLabel(c rune) bool { return c == '.' || c == ':' || notInHost(c) }

// App returns the app that serves the request.
func (c Ctx) App() *App { return c.live().app }
