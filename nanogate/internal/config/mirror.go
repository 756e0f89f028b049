package config

import (
	"slices"
	"strings"
	"time"

	"github.com/ohler55/ojg/jp"
)

// Mirror has a share of a route's requests sent to a second upstream too, whose responses
// nobody gets: they are held against the first ones.
type Mirror struct {
	At      At
	Text    string // all of it but its place
	To      Target
	Share   float64  // of the requests that may be mirrored
	Methods []string // whose requests may be
	Host    string   // sent to the second: "" is what the first was sent, "upstream" the endpoint's, else the text
	Request Headers  // what is changed of the fields that the first was sent
	Compare Compare

	// Bounds of what is done beside the requests themselves.
	Timeout     time.Duration // for the second response, from when its request is sent
	Body        int64         // bytes of a request's body, and of a response's that is compared
	Concurrency int           // requests at once
	Queue       int           // requests that wait
	Memory      int64         // bytes of all that is kept of requests and responses
	Samples     int           // differences that are kept to be looked at
}

// Compare is what two responses to the same request should have in common.
type Compare struct {
	Status  bool
	Headers []string // names of fields, in lower case
	JSON    []string // JSONPaths (RFC 9535) of what is compared of a body
	Ignore  []string // and of what isn't, below those
	Body    bool     // byte by byte
}

// Content reports whether anything of bodies is compared.
func (c *Compare) Content() bool { return c.Body || len(c.JSON) > 0 }

// mostCompared bounds fields and paths: each is a series of the metrics.
const mostCompared = 32

// NewMirror is a mirror with the defaults.
func NewMirror(at At) *Mirror {
	return &Mirror{
		At: at, Share: 1, Methods: []string{"GET", "HEAD", "OPTIONS"}, Compare: Compare{Status: true},
		Timeout: 5 * time.Second, Body: 64 << 10, Concurrency: 16, Queue: 256, Memory: 16 << 20, Samples: 32,
	}
}

// check says what is wrong with which requests are mirrored, and how.
func (m *Mirror) check(report report) {
	hint, message := checkShare(m.Share)
	report.value(hint, message, "share")
	for i, method := range m.Methods {
		if hint, message = checkMethod(method); method == "CONNECT" {
			hint, message = "remove it", "CONNECT can't be mirrored"
		}
		report.value(hint, message, "methods", item(i))
	}
	hint, message = checkHost(m.Host)
	report.value(hint, message, "host")
	m.Request.check(report.in("request-headers"))
}

func readMirror(p place) *Mirror {
	m := NewMirror(p.At())
	m.Text = p.in.text(p.Node)
	if !p.IsMapping() {
		m.To = readTarget(p, p.text())
		return m
	}
	found := readFields(p, m, mirrorFields)
	if _, ok := found["to"]; !ok {
		p.Problem("such as {to: users-next, share: 10%}", "a mirror needs to: the upstream or URL that gets the copies")
	}
	return m
}

var mirrorFields = []known[Mirror]{
	// An upstream or a URL. Default: required
	{"to", func(m *Mirror, p place) { m.To = readTarget(p, p.text()) }},
	// Of the requests that may be mirrored.
	{"share", func(m *Mirror, p place) { m.Share = p.share() }},
	// Whose requests are mirrored. Default: `[GET, HEAD, OPTIONS]`
	{"methods", func(m *Mirror, p place) {
		m.Methods = nil
		for _, item := range p.list() {
			m.Methods = append(m.Methods, item.text())
		}
	}},
	// The Host that is sent: `upstream` (the endpoint's), or a text. Default: the first one's
	{"host", func(m *Mirror, p place) { m.Host = p.text() }},
	// Header fields of the copy that are changed.
	{"request-headers", func(m *Mirror, p place) { m.Request = readHeaders(p) }},
	// What the two responses should have in common.
	{"compare", func(m *Mirror, p place) {
		m.Compare = Compare{Status: true}
		readFields(p, &m.Compare, compareFields)
		if len(m.Compare.Ignore) > 0 && len(m.Compare.JSON) == 0 {
			p.Problem(`add json: ["$"]`, "ignore is what isn't compared of json, and there is none")
		}
	}},
	// For the second response.
	{"timeout", func(m *Mirror, p place) { m.Timeout = p.Duration(time.Millisecond, 10*time.Minute) }},
	// Bytes of a request's body that is copied, and of a response's that is compared.
	{"body", func(m *Mirror, p place) { m.Body = p.size(0, 16<<20) }},
	// Copies under way at once.
	{"concurrency", func(m *Mirror, p place) { m.Concurrency = p.Integer(1, 1000) }},
	// Copies that may wait.
	{"queue", func(m *Mirror, p place) { m.Queue = p.Integer(1, 100_000) }},
	// Bytes of all that is kept of requests and responses.
	{"memory", func(m *Mirror, p place) { m.Memory = p.size(64<<10, 4<<30) }},
	// Differences that are kept to be shown.
	{"samples", func(m *Mirror, p place) { m.Samples = p.Integer(0, 1000) }},
}

var compareFields = []known[Compare]{
	// The status.
	{"status", func(c *Compare, p place) { c.Status = p.Boolean() }},
	// Header fields by name. Default: none
	{"headers", func(c *Compare, p place) {
		for _, item := range p.bounded() {
			c.Headers = append(c.Headers, strings.ToLower(item.token("header field")))
		}
	}},
	// JSONPaths (RFC 9535) of what is compared of a body. Default: none
	{"json", func(c *Compare, p place) { c.JSON = readPaths(p) }},
	// JSONPaths of what isn't, below those. Default: none
	{"ignore", func(c *Compare, p place) { c.Ignore = readPaths(p) }},
	// The body, byte by byte. Default: `false`
	{"body", func(c *Compare, p place) { c.Body = p.Boolean() }},
}

// bounded is the list of what is compared.
func (p place) bounded() []place {
	items := p.list()
	if len(items) > mostCompared {
		p.Problem("", "expected at most %d, got %d", mostCompared, len(items))
		return nil
	}
	return items
}

// readPaths reads JSONPaths.
func readPaths(p place) (all []string) {
	for _, item := range p.bounded() {
		text := item.text()
		if text != "" && !isPath(text) {
			item.Problem("such as $.items[*].price", "expected a JSONPath, which begins with $, got %s", form.Quote(text))
			continue
		}
		if slices.Contains(all, text) {
			item.Problem("remove one of them", "the path is given twice")
		}
		all = append(all, text)
	}
	return all
}

// isPath reports whether a text is a JSONPath.
func isPath(text string) (ok bool) {
	defer func() {
		if recover() != nil { // whatever the library makes of a text, a file is read to its end
			ok = false
		}
	}()
	_, err := jp.ParseString(text)
	return err == nil && text[0] == '$'
}
