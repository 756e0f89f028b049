package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a file of targets.
const (
	maxTargets    = 100_000
	maxTargetLine = 64 << 10 // bytes
)

// ReadTargets reads requests in the form that vegeta calls http:
//
//	# a comment
//	GET http://127.0.0.1:8080/users
//
//	POST http://127.0.0.1:8080/users
//	Content-Type: application/json
//	@user.json
//
// All must go to the same origin ("http://127.0.0.1:8080"), or start with the
// path. Unlike vegeta, which goes through them in turn, a load draws one at
// random each time. file is the name in messages; body returns what is in a file.
func ReadTargets(file string, r io.Reader, origin string, body func(path string) (string, error)) ([]Request, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTargetLine)
	t := targets{origin: strings.TrimSuffix(origin, "/"), body: body}
	number := 1
	for ; lines.Scan(); number++ {
		if err := t.line(strings.TrimSpace(lines.Text())); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: the line has more than %d bytes", file, number, maxTargetLine)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(t.requests) == 0:
		return nil, fmt.Errorf("%s: has no targets; write them as GET %s/path", file, t.origin)
	}
	return t.requests, nil
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
	case !t.open:
		return fmt.Errorf("expected a method and a URL, such as GET %s/path, got %q", t.origin, clip(line))
	case isBody && !t.hasBody:
		return t.readBody(path)
	case isHeader && !isBody && isToken(strings.TrimSpace(name)):
		return t.header(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return fmt.Errorf("expected a header, a body as @FILE or an empty line, got %q", clip(line))
}

// isMethod reports whether a word at the start of a line is a method: headers
// end in a colon there.
func isMethod(word string) bool {
	return isToken(word) && !strings.ContainsFunc(word, func(c rune) bool { return c < 'A' || c > 'Z' })
}

func (t *targets) target(method, url string) error {
	path, ok := strings.CutPrefix(url, t.origin)
	if !ok && !strings.HasPrefix(url, "/") {
		return fmt.Errorf("%q is not at %s, where this load goes", clip(url), t.origin)
	}
	if path == "" || path[0] == '?' {
		path = "/" + path
	}
	if path[0] != '/' {
		return fmt.Errorf("%q is not at %s, where this load goes", clip(url), t.origin)
	}
	if len(t.requests) == maxTargets {
		return fmt.Errorf("there are more than %d targets", maxTargets)
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
		return fmt.Errorf("reading the body: %w", err)
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
