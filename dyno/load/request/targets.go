package request

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// Limits of a file of targets.
const (
	maxTargets    = 100_000
	maxTargetLine = 64 << 10 // bytes
)

// ReadTargets reads requests in the form that vegeta calls http,
//
//	# a comment
//	GET http://127.0.0.1:8080/users
//
//	POST http://127.0.0.1:8080/users
//	Content-Type: application/json
//	@user.json
//
// in the one it calls json, with an object a line whose body is in base64,
//
//	{"method": "POST", "url": "http://127.0.0.1:8080/users", "body": "e30=", "header": {"Accept": ["*/*"]}}
//
// or as a list of URLs, which are requested with GET. All must go to the same origin
// ("http://127.0.0.1:8080"), or start with the path; an empty one is that of the first
// target, and is returned. Unlike vegeta, which goes through them in turn, a load draws
// one at random each time. file is the name in messages; body returns what is in a
// file.
func ReadTargets(file string, r io.Reader, origin string, body func(path string) (string, error)) (at string, requests []Request, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTargetLine)
	t := targets{origin: strings.TrimSuffix(origin, "/"), body: body}
	number := 1
	for ; lines.Scan(); number++ {
		if err := t.line(strings.TrimSpace(lines.Text())); err != nil {
			return "", nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return "", nil, i18n.Errorf("request.line-too-long", "%s:%d: the line has more than %d bytes", file, number, maxTargetLine)
	case err != nil:
		return "", nil, fmt.Errorf("%s: %w", file, err)
	case len(t.requests) == 0:
		return "", nil, i18n.Errorf("request.targets-file-empty", "%s: has no targets; write them as GET %s/path", file, t.example())
	}
	return t.origin, t.requests, nil
}

// targets is a file of targets being read.
type targets struct {
	origin   string
	body     func(path string) (string, error)
	requests []Request
	open     bool // headers and body of the last request may follow
	hasBody  bool
}

func (t *targets) line(line string) error {
	path, isBody := strings.CutPrefix(line, "@")
	name, value, isHeader := strings.Cut(line, ":")
	method, url, isTarget := strings.Cut(line, " ")
	switch {
	case line == "":
		t.open = false
		return nil
	case strings.HasPrefix(line, "#"):
		return nil
	case isTarget && isMethod(method):
		return t.target(method, strings.TrimSpace(url))
	case strings.HasPrefix(line, "{"):
		return t.object(line)
	case isURL(line):
		return t.target("GET", line)
	case !t.open:
		return i18n.Errorf("request.expected-request-line", "expected a method and a URL, such as GET %s/path, got %q", t.example(), clip(line))
	case isBody && !t.hasBody:
		return t.readBody(path)
	case isHeader && !isBody && isToken(strings.TrimSpace(name)):
		return t.header(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return i18n.Errorf("request.expected-header-or-body", "expected a header, a body as @FILE or an empty line, got %q", clip(line))
}

// example is an origin for messages.
func (t *targets) example() string { return cmp.Or(t.origin, "http://host:port") }

// isURL reports whether a line is a URL or a path by itself.
func isURL(line string) bool {
	return strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://") || strings.HasPrefix(line, "/")
}

// object reads a target in vegeta's json format.
func (t *targets) object(line string) error {
	var o struct {
		Method string              `json:"method"`
		URL    string              `json:"url"`
		Body   []byte              `json:"body"`
		Header map[string][]string `json:"header"`
	}
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		return i18n.Errorf("request.expected-request-object", "expected an object with method, url, and perhaps header and body (in base64): %w", err)
	}
	if o.URL == "" {
		return i18n.Errorf("request.url-missing", "the object has no url")
	}
	if err := t.target(cmp.Or(o.Method, "GET"), o.URL); err != nil {
		return err
	}
	r := &t.requests[len(t.requests)-1]
	for _, name := range slices.Sorted(maps.Keys(o.Header)) {
		for _, value := range o.Header[name] {
			r.Headers = append(r.Headers, Header{Name: name, Value: value})
		}
	}
	r.Body, t.open = string(o.Body), false
	return nil
}

// originOf returns where a URL leads, without its path.
func originOf(url string) (string, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	if !ok || host == "" {
		return "", i18n.Errorf("request.target-host-missing", "%q says no host; write the target as GET http://host:port/path, or also give a URL", clip(url))
	}
	if strings.Contains(host, "@") { // not shown: it may be a password
		return "", i18n.Errorf("request.url-with-credentials", "the URL has credentials before its host, where they are not read; write them as a header or as auth")
	}
	return scheme + "://" + host, nil
}

// isMethod reports whether a word at the start of a line is a method: headers
// end in a colon there.
func isMethod(word string) bool {
	return isToken(word) && !strings.ContainsFunc(word, func(c rune) bool { return c < 'A' || c > 'Z' })
}

func (t *targets) target(method, url string) error {
	if t.origin == "" {
		origin, err := originOf(url)
		if err != nil {
			return err
		}
		t.origin = origin
	}
	path, ok := strings.CutPrefix(url, t.origin)
	if !ok && !strings.HasPrefix(url, "/") {
		return i18n.Errorf("request.target-elsewhere", "%q is not at %s, where this load goes: a load has one target", clip(url), t.origin)
	}
	if path == "" || path[0] == '?' {
		path = "/" + path
	}
	if path[0] != '/' {
		return i18n.Errorf("request.target-elsewhere", "%q is not at %s, where this load goes: a load has one target", clip(url), t.origin)
	}
	if len(t.requests) == maxTargets {
		return i18n.Errorf("request.too-many-targets", "there are more than %d targets", maxTargets)
	}
	name := fmt.Sprintf("%s %s", strings.ToLower(method), path)
	t.requests = append(t.requests, Request{Name: name, Method: method, Path: path})
	t.open, t.hasBody = true, false
	return nil
}

func (t *targets) header(name, value string) error {
	r := &t.requests[len(t.requests)-1]
	r.Headers = append(r.Headers, Header{Name: name, Value: value})
	return nil
}

func (t *targets) readBody(path string) error {
	text, err := t.body(strings.TrimSpace(path))
	if err != nil {
		return i18n.Errorf("request.reading-body", "reading the body: %w", err)
	}
	t.requests[len(t.requests)-1].Body = text
	t.hasBody = true
	return nil
}

// clip cuts a text for a message.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
