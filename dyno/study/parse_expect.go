package study

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/expect"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// expectAt reads what is expected of responses: a list of lines such as "json $.ok ==
// true", or fields by the lines' first word, each with one line or a list.
func expectAt(at scope, r *request.Request) {
	if at.Resolved().Kind == yaml.SequenceNode {
		for _, item := range at.list() {
			r.Expect = append(r.Expect, item.expectation("")...)
		}
		return
	}
	f, _ := at.fields("status", "grpc", "header", "body", "json")
	if v, ok := f["status"]; ok {
		statusAt(v, r)
	}
	for _, kind := range []string{"grpc", "header", "body", "json"} {
		v, ok := f[kind]
		switch {
		case !ok:
		case v.Resolved().Kind == yaml.SequenceNode:
			for _, item := range v.list() {
				r.Expect = append(r.Expect, item.expectation(kind+" ")...)
			}
		default:
			r.Expect = append(r.Expect, v.expectation(kind+" ")...)
		}
	}
}

// expectation reads one line, without its first word if that is given. It
// returns none after a problem.
func (s scope) expectation(kind string) []string {
	text, ok := s.text()
	if !ok {
		return nil
	}
	line := kind + text
	if _, err := expect.Parse([]string{line}); err != nil {
		s.Report(i18n.From(err))
		return nil
	}
	return []string{line}
}

// statusAt reads a status, or several: statuses, classes such as 2xx and ranges
// such as 200-204.
func statusAt(at scope, r *request.Request) {
	if at.Resolved().Kind == yaml.SequenceNode {
		for _, item := range at.list() {
			r.Expect = append(r.Expect, item.expectation("status ")...)
		}
		return
	}
	text, ok := at.Scalar()
	if ok && strings.ContainsAny(text, "xX- ,") {
		r.Expect = append(r.Expect, at.expectation("status ")...)
		return
	}
	r.Status = at.Integer(200, 599)
}
