package study

import (
	"errors"
	"slices"
	"strings"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// verbs are the short forms "get: /path".
var verbs = []string{"get", "head", "post", "put", "patch", "delete", "options"}

func requestsAt(at scope) []request.Request {
	var requests []request.Request
	taken := make(map[string]bool)
	for _, item := range at.list() {
		r := requestAt(item)
		if r.Name != "" && taken[r.Name] {
			item.Report(i18n.New("study.request-named-twice", "two requests are called %s", form.Quote(r.Name)), i18n.New("study.add-field", "add: %s: %s", "name", "…"))
		}
		taken[r.Name] = true
		requests = append(requests, r)
	}
	return requests
}

func requestAt(at scope) request.Request {
	before := len(at.in.Problems)
	f, understood := at.fields(slices.Concat([]string{"name", "method", "path", "headers", "body", "body_file", "auth", "cookies", "cookie_jar", "weight", "expect"}, verbs, callFields)...)
	r := request.Request{Weight: 1}
	if _, call := f["grpc"]; call {
		callAt(at, f, &r)
	} else if field := firstField(f, callFields); field != "" && understood {
		f[field].Report(i18n.New("study.goes-grpc-only", "%s goes with grpc only", field), i18n.New("study.add-field", "add: %s: %s", "grpc", "package.Service/Method"))
	} else if given := methodAndPath(f, &r); given != 1 && understood {
		at.Report(i18n.New("study.expected-one-request-line", "expected one method and path, got %d", given), i18n.New("study.request-form", "write it as: get: /path"))
	}
	if r.Path != "" && r.GRPC == nil {
		r.Name = strings.ToLower(r.Method) + " " + r.Path
	}
	if v, ok := f["name"]; ok {
		r.Name = v.filled("")
	}
	if v, ok := f["headers"]; ok {
		r.Headers = headersAt(v)
	}
	if r.GRPC == nil {
		r.Body = bodyAt(f)
	}
	identityAt(f, &r)
	if v, ok := f["weight"]; ok {
		r.Weight = v.Integer(1, 1_000_000)
	}
	if v, ok := f["expect"]; ok {
		expectAt(v, &r)
	}
	if r.GRPC != nil {
		checkCall(at, f, &r, before)
	} else if v, ok := f["expect"]; ok {
		v.check(request.Request{Path: "/", Expect: r.Expect})
	}
	return r
}

// firstField is the first of the names that is among the fields; "" if none is.
func firstField(f map[string]scope, names []string) string {
	for _, name := range names {
		if _, ok := f[name]; ok {
			return name
		}
	}
	return ""
}

// methodAndPath reads "get: /path", or method and path. It returns how many of
// them there are.
func methodAndPath(f map[string]scope, r *request.Request) (given int) {
	for _, verb := range verbs {
		if v, ok := f[verb]; ok {
			r.Method, r.Path = strings.ToUpper(verb), v.requestPath()
			given++
		}
	}
	path, hasPath := f["path"]
	if hasPath {
		r.Method, r.Path = "GET", path.requestPath()
		given++
	}
	if v, ok := f["method"]; ok {
		r.Method = strings.ToUpper(v.filled(""))
		v.check(request.Request{Path: "/", Method: r.Method})
		if !hasPath {
			v.Report(i18n.New("study.method-with-path", "method goes with path"), i18n.New("study.add-field", "add: %s: %s", "path", "/"))
			return 1
		}
	}
	return given
}

// check reports what the load would refuse about r, which holds only what
// stands at this place.
func (s scope) check(r request.Request) bool {
	err := r.Check(s.in.env)
	var absent *template.FeedError
	if err != nil && !(s.in.feedsUnread && errors.As(err, &absent)) {
		s.Report(i18n.From(err))
	}
	return err == nil
}

// requestPath reads a path with an optional query. It returns "" after a
// problem.
func (s scope) requestPath() string {
	path, ok := s.Scalar()
	if !ok || !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "{{") {
		s.Report(i18n.New("study.expected-path", "expected a path that starts with \"/\", got %s", s.Describe()))
		return ""
	}
	if !s.check(request.Request{Path: path}) {
		return ""
	}
	return path
}

func headersAt(at scope) []request.Header {
	var headers []request.Header
	for _, e := range at.entries() {
		value, ok := e.value.text()
		h := request.Header{Name: e.key, Value: value}
		switch {
		case strings.EqualFold(h.Name, "Content-Length"), strings.EqualFold(h.Name, "Transfer-Encoding"):
			e.name.Report(i18n.New("study.header-follows-body", "%s can't be set: it follows from the body", h.Name), i18n.New("study.remove", "remove it"))
			continue
		case !e.name.check(request.Request{Path: "/", Headers: []request.Header{h}}) || !ok:
			continue
		}
		headers = append(headers, h)
	}
	return headers
}

// bodyAt reads the body, which stands in the study or in a file beside it.
func bodyAt(f map[string]scope) string {
	text, inline := f["body"]
	file, beside := f["body_file"]
	switch {
	case inline && beside:
		file.Report(i18n.New("study.body-given-twice", "expected either body or body_file, got both"), i18n.New("yaml.remove-one-them", "remove one of them"))
	case inline:
		body, ok := text.text()
		if ok {
			text.check(request.Request{Path: "/", Body: body})
		}
		return body
	case beside:
		body := textFile(file, "body")
		file.check(request.Request{Path: "/", Body: body})
		return body
	}
	return ""
}

// filePath reads the name of a file, which starts at the study's folder. It
// returns "" after a problem.
func (s scope) filePath() string {
	path := s.filled("")
	if path == "" {
		return ""
	}
	return s.in.beside(path)
}

// textFile reads a file that holds what is sent. It returns "" after a problem.
func textFile(at scope, what string) string {
	path := at.filePath()
	if path == "" {
		return ""
	}
	body, err := readFile(path)
	if err == nil && len(body) > maxSource {
		err = i18n.Errorf("study.source-too-large", "%s has more than the %d bytes that are allowed", path, maxSource)
	}
	if err != nil {
		at.Report(i18n.New("study.reading", "reading the %s: %v", what, err), i18n.New("study.path-below-study", "the path starts at the study's folder"))
		return ""
	}
	return string(body)
}
