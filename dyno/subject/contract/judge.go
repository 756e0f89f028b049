package contract

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/load/expect"
)

// judge compares a response with what was expected.
func (e Expect) judge(a *response) []Problem {
	problems := judgeStatus(e.Status, a)
	for _, h := range e.Headers {
		got, there := headerValue(a, h.Name)
		if there && len(got) >= len(h.Value) && strings.EqualFold(got[:len(h.Value)], h.Value) {
			continue
		}
		line := "+ " + shorten(got)
		if !there {
			line = "+ no such header"
		}
		problems = append(problems, Problem{What: "header " + h.Name, Diff: []string{"- " + shorten(h.Value), line}})
	}
	if p, wrong := e.judgeBody(string(a.body)); wrong {
		problems = append(problems, p)
	}
	return problems
}

// headerValue returns a header's first value. Content-Length is in the head
// even if it says 0.
func headerValue(a *response, name string) (string, bool) {
	values := a.Header.Values(name)
	if len(values) == 0 {
		if strings.EqualFold(name, "Transfer-Encoding") && len(a.TransferEncoding) > 0 {
			return strings.Join(a.TransferEncoding, ", "), true // taken out by net/http
		}
		return "", false
	}
	return values[0], true
}

// judgeStatus expects the status want.
func judgeStatus(want int, a *response) []Problem {
	if a.StatusCode == want {
		return nil
	}
	return []Problem{wrongStatus(strconv.Itoa(want), a)}
}

func wrongStatus(expected string, a *response) Problem {
	got := []string{"- " + expected, "+ " + a.Status}
	if len(a.body) > 0 {
		got = append(got, "  its body: "+shorten(strings.TrimSpace(string(a.body))))
	}
	return Problem{What: "status", Diff: got}
}

// judgeExpected compares a response with what a load's request expects.
func judgeExpected(e *expect.Expect, a *response) []Problem {
	statuses := e.Statuses()
	if !statuses.Has(a.StatusCode) {
		return []Problem{wrongStatus(strings.ReplaceAll(statuses.String(), "-", " to "), a)}
	}
	if failed := e.Judge(a.StatusCode, a.head(), a.body); failed != "" {
		text, got, _ := strings.Cut(failed, ": got ")
		return []Problem{{What: "expectation", Diff: []string{"- " + text, "+ " + got}}}
	}
	return nil
}

// head returns the head of the response as it came, but for the order of fields.
func (a *response) head() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\n", a.Status)
	_ = a.Header.Write(&b) // to memory
	for _, coding := range a.TransferEncoding {
		fmt.Fprintf(&b, "Transfer-Encoding: %s\r\n", coding)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// judgeBody expects the body as e describes it.
func (e Expect) judgeBody(body string) (Problem, bool) {
	switch {
	case e.Text != nil && body != *e.Text:
		return Problem{What: "body", Diff: diff(*e.Text, body)}, true
	case e.Contains != "" && !strings.Contains(body, e.Contains):
		return Problem{What: "body", Diff: []string{
			"- " + shorten(e.Contains) + " (somewhere)", "+ " + shorten(body),
		}}, true
	case e.JSON != nil:
		return e.judgeJSON(body)
	}
	return Problem{}, false
}

func (e Expect) judgeJSON(body string) (Problem, bool) {
	got, err := DecodeJSON([]byte(body))
	if err != nil {
		return Problem{What: "body", Diff: []string{
			"- JSON", "+ " + shorten(body), "  which is not valid JSON: " + err.Error(),
		}}, true
	}
	if EqualJSON(e.JSON, got) {
		return Problem{}, false
	}
	return Problem{What: "body", Diff: diff(indentJSON(normalJSON(e.JSON)), indentJSON(normalJSON(got)))}, true
}

// judgeLength expects that the head says where the body ends (RFC 9112, 6.3):
// otherwise only the connection's end does. Over HTTP/2 frames say it.
func judgeLength(a *response) []Problem {
	switch {
	case a.ProtoMajor == 2, a.ContentLength >= 0, slices.Contains(a.TransferEncoding, "chunked"):
		return nil
	case a.StatusCode == http.StatusNoContent, a.StatusCode == http.StatusNotModified:
		return nil
	case a.Request != nil && a.Request.Method == http.MethodHead:
		return nil
	}
	return []Problem{{What: "length", Diff: []string{
		"- Content-Length or Transfer-Encoding: chunked",
		fmt.Sprintf("+ neither, so that %d bytes of body end with the connection", len(a.body)),
	}}}
}
