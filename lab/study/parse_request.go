package study

import (
	"os"
	"path/filepath"
	"strings"

	"dyno/lab/load"
)

// verbs are the short forms "get: /path".
var verbs = []string{"get", "head", "post", "put", "patch", "delete", "options"}

func requestsAt(at scope) []load.Request {
	var requests []load.Request
	taken := make(map[string]bool)
	for _, item := range at.list() {
		r := requestAt(item)
		if taken[r.Name] {
			item.problem("add: name: …", "two requests are called %q", r.Name)
		}
		taken[r.Name] = true
		requests = append(requests, r)
	}
	return requests
}

func requestAt(at scope) load.Request {
	f := at.fields(append([]string{"name", "method", "path", "headers", "body", "body_file", "weight", "expect"}, verbs...)...)
	r := load.Request{Weight: 1}
	methodAndPath(at, f, &r)
	r.Name = strings.Trim(strings.ToLower(r.Method)+" "+r.Path, " ")
	if v, ok := f["name"]; ok {
		r.Name = v.text()
	}
	if v, ok := f["headers"]; ok {
		for _, e := range v.entries() {
			r.Headers = append(r.Headers, load.Header{Name: e.key, Value: e.value.text()})
		}
	}
	if v, ok := f["body"]; ok {
		r.Body = v.text()
	}
	if v, ok := f["body_file"]; ok {
		if _, also := f["body"]; also {
			v.problem("", "expected either body or body_file, got both")
		}
		r.Body = bodyFile(v)
	}
	if v, ok := f["weight"]; ok {
		r.Weight = v.integer(1, 1_000_000)
	}
	if v, ok := f["expect"]; ok {
		if status, ok := v.fields("status")["status"]; ok {
			r.Status = status.integer(200, 599)
		}
	}
	if r.Path != "" {
		if err := r.Check(); err != nil {
			at.problem("", "%v", err)
		}
	}
	return r
}

// methodAndPath reads "get: /path", or method and path.
func methodAndPath(at scope, f map[string]scope, r *load.Request) {
	given := 0
	for _, verb := range verbs {
		if v, ok := f[verb]; ok {
			r.Method, r.Path = strings.ToUpper(verb), v.text()
			given++
		}
	}
	if v, ok := f["path"]; ok {
		r.Method, r.Path = "GET", v.text()
		given++
	}
	if v, ok := f["method"]; ok {
		if r.Method = strings.ToUpper(v.text()); f["path"].node == nil {
			v.problem("add: path: /", "method goes with path")
		}
	}
	if given != 1 {
		at.problem("write it as: get: /path", "expected one method and path, got %d", given)
	}
}

// bodyFile reads a body from a file beside the study.
func bodyFile(at scope) string {
	name := at.text()
	if name == "" {
		return ""
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.in.path), path)
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxSource {
		at.problem("", "%s has %d bytes; at most %d are allowed", name, info.Size(), maxSource)
		return ""
	}
	body, err := os.ReadFile(path)
	if err != nil {
		at.problem("", "%v", err)
		return ""
	}
	return string(body)
}
