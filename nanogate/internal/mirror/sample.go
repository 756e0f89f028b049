package mirror

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dyno.example/nanogate/internal/accesslog"
)

// Sample is a request to which the shadow's response differed or is missing. It holds
// no secrets that the access log knows of, and has a bounded size.
type Sample struct {
	Time        time.Time    `json:"time"` // when the request came
	Method      string       `json:"method"`
	Host        string       `json:"host"`
	Path        string       `json:"path"`
	Query       string       `json:"query,omitempty"`
	Status      int          `json:"status"`                  // the first's
	Shadow      int          `json:"shadow_status,omitempty"` // 0: there was no response
	Endpoint    string       `json:"endpoint"`                // of the shadow
	Took        float64      `json:"took_ms"`
	ShadowTook  float64      `json:"shadow_took_ms"`
	Failure     string       `json:"failure,omitempty"` // why there was no complete response
	Differences []Difference `json:"differences,omitempty"`
}

const (
	mostTarget = 512 // bytes of a path and of a query that a sample keeps
	mostValue  = 128 // bytes of another text
)

// redacted stands in place of a secret.
const redacted = "REDACTED"

// sample makes one.
func (m *Mirror) sample(c *Capture, second response, found []Difference, failure string) Sample {
	more := m.redact()
	line, fields, _ := bytes.Cut(c.head, []byte("\r\n"))
	method, target, _ := bytes.Cut(line, []byte(" "))
	target, _, _ = bytes.Cut(target, []byte(" "))
	path, query, _ := bytes.Cut(target, []byte("?"))
	s := Sample{
		Time: time.Unix(0, c.began), Method: cut(string(method)), Path: cutTo(string(path), mostTarget), Host: hostIn(fields),
		Query:  cutTo(string(accesslog.AppendQuery(nil, query, more)), mostTarget),
		Status: c.first.status, Shadow: second.status, Endpoint: c.endpoint.Name, Took: milliseconds(c.first.took), ShadowTook: milliseconds(c.second.took), Failure: failure,
	}
	for _, d := range found {
		if secretPlace(&d, more) {
			d.First, d.Second = redacted, redacted
		}
		d.At, d.First, d.Second = cut(d.At), cut(d.First), cut(d.Second)
		s.Differences = append(s.Differences, d)
	}
	return s
}

// hostIn finds the host among a request's fields.
func hostIn(fields []byte) string {
	for line := range bytes.SplitSeq(fields, []byte("\r\n")) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(string(name), "host") {
			return cut(strings.TrimSpace(string(value)))
		}
	}
	return ""
}

// secretPlace reports whether what stands where a difference is must not be shown.
func secretPlace(d *Difference, more []string) bool {
	switch d.Kind {
	case KindHeader:
		return strings.Contains(d.Field, "cookie") || accesslog.IsSecret([]byte(d.Field), more)
	case KindJSON:
		names := strings.FieldsFunc(d.At, func(r rune) bool { return strings.ContainsRune(`.[]"`, r) })
		return slices.ContainsFunc(names, func(name string) bool { return accesslog.IsSecret([]byte(name), more) })
	}
	return false
}

// withoutSecrets is a JSON value with nothing in place of what members that are secrets
// hold.
func withoutSecrets(v any, more []string) any {
	switch v := v.(type) {
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			if accesslog.IsSecret([]byte(name), more) {
				clean[name] = redacted
			} else {
				clean[name] = withoutSecrets(value, more)
			}
		}
		return clean
	case []any:
		clean := make([]any, len(v))
		for i := range v {
			clean[i] = withoutSecrets(v[i], more)
		}
		return clean
	}
	return v
}

func cut(text string) string { return cutTo(text, mostValue) }

// cutTo bounds a text, which is valid UTF-8 then.
func cutTo(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = strings.Clone(text[:most]) + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
