package router

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"dyno.example/nano/wire/http1"
)

// URL fills the pattern: the path, after "//" and the host if it has one. It takes
// the values it needs out of given, unescaped.
func (p *Pattern) URL(given map[string]string) (string, error) {
	var b strings.Builder
	host := p.hostText
	if p.hostParam {
		_, rest, _ := strings.Cut(host, ".")
		label, err := take(given, p.Params[0])
		if err != nil || label == "" || strings.ContainsFunc(label, notInLabel) {
			return "", fmt.Errorf("{%s} must be one label of a host name", p.Params[0])
		}
		host = label + "." + rest
	}
	if host != "" {
		b.WriteString("//" + host)
	}
	from := b.Len()
	path := p.pathText
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
	var p Pattern
	s, err := p.parseSegment(text)
	if err != nil {
		return false, err // it was right at registration
	}
	if s.rest {
		return false, writeRest(b, p.Params[0], given)
	}
	if _, ok := given[p.Params[0]]; s.optional && !ok {
		return true, nil
	}
	var canonical []byte
	var values []string
	for i, name := range p.Params {
		value, err := take(given, name)
		if err != nil {
			return false, err
		}
		values = append(values, value)
		canonical = append(canonical, s.texts[i]...)
		canonical = appendCanonicalOf(canonical, value)
	}
	canonical = append(canonical, s.texts[len(p.Params)]...)
	var spans [MaxParams]http1.Span
	matches := !isDots(canonical) && s.match(canonical, 0, spans[:])
	for i, value := range values {
		if !matches || string(appendDecoded(nil, spans[i].Of(canonical))) != value {
			return false, fmt.Errorf("{%s} can't be %q: the route would not match it", p.Params[i], value)
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
	return AppendEncoded(nil, canonical)
}

func notInLabel(c rune) bool { return c == '.' || c == ':' || notInHost(c) }

// Templates returns the pattern with nothing but names in its braces, as OpenAPI
// and URI templates have them: /users/{id} for /users/{id:int}. A pattern with
// optional parameters has one template for each number of them, the longest first.
func (p *Pattern) Templates() []string {
	var all []string
	var b strings.Builder
	path := p.pathText
	for more := true; more; {
		var text string
		text, path, more = cutSegment(path[1:])
		var one Pattern
		s, err := one.parseSegment(text)
		if err != nil || len(one.Params) == 0 || s.rest || text == "{$}" {
			b.WriteString("/" + text)
			continue
		}
		if s.optional {
			all = append(all, cmp.Or(b.String(), "/"))
		}
		b.WriteByte('/')
		for i, name := range one.Params {
			b.WriteString(s.texts[i] + "{" + name + "}")
		}
		b.WriteString(s.texts[len(one.Params)])
	}
	all = append(all, b.String())
	slices.Reverse(all)
	return all
}
