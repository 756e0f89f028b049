package config

import "strings"

// Pattern is a pattern of paths: literal text, {name} for one segment, * at its end
// for any rest. "/api/*" is "/api" too, and "/api*" anything that begins so.
type Pattern struct {
	At   At
	Text string
}

// Params are the names in the pattern, in its order; "rest" is what the star is.
func (p Pattern) Params() (names []string) {
	for segment := range strings.SplitSeq(p.Text, "/") {
		if name, ok := param(segment); ok {
			names = append(names, name)
		}
	}
	if strings.HasSuffix(p.Text, "*") {
		names = append(names, "rest")
	}
	return names
}

// param returns the name of a segment that is a parameter.
func param(segment string) (name string, ok bool) {
	if len(segment) > 2 && segment[0] == '{' && segment[len(segment)-1] == '}' {
		return segment[1 : len(segment)-1], true
	}
	return "", false
}

const mostParams = 8 // of a pattern

// checkPattern says what is wrong with a pattern, or "".
func checkPattern(text string) (hint, message string) {
	if text == "" {
		return "", "expected a text, got nothing"
	}
	if text[0] != '/' {
		return "write /" + text, "a path begins with a slash"
	}
	body := strings.TrimSuffix(text, "*")
	switch {
	case strings.Contains(body, "*"):
		return "such as /api/*, or {name} for one segment", "a star is only at the end of a path"
	case strings.ContainsAny(text, "?#"):
		return "the query is matched by query: {name: value}", "a path has no query"
	case strings.Contains(text, "//"):
		return "repeated slashes are one slash before a path is matched", "no path holds //"
	case strings.Contains(text, "%"):
		return "", "a pattern is written without escapes of ordinary characters, and no other is taken"
	}
	names := map[string]bool{"rest": true}
	for segment := range strings.SplitSeq(body, "/") {
		name, ok := param(segment)
		switch {
		case segment == "." || segment == "..":
			return "dots are resolved before a path is matched", "no path holds " + form.Quote("/"+segment+"/")
		case !ok && strings.ContainsAny(segment, "{}"):
			return "such as /users/{id}/orders", "a parameter is a whole segment, got " + form.Quote(segment)
		case ok && (names[name] || !isName(name)):
			return "", "expected a name that is the pattern's only one, got " + form.Quote(name)
		case ok:
			names[name] = true
		}
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c > '~' || c == '\\' || c == '"' {
			return "", "expected a path of printable ASCII characters, got " + form.Quote(text)
		}
	}
	if len(names) > mostParams {
		return "", "expected a path with fewer parameters"
	}
	return "", ""
}

// covers reports whether a path matches the pattern.
func (p Pattern) covers(path string) bool {
	text := p.Text
	if text == "" {
		return true
	}
	for text != "" {
		switch {
		case text == "*", text == "/*" && path == "":
			return true
		case path == "":
			return false
		case text[0] == '{' && path[0] != '/':
			text = text[strings.IndexByte(text, '}')+1:]
			path = path[len(segment(path)):]
		case text[0] != path[0]:
			return false
		default:
			text, path = text[1:], path[1:]
		}
	}
	return path == ""
}

// segment is what a path begins with, up to a slash.
func segment(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
