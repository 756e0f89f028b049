package mirror

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
)

// response is one of two that are compared.
type response struct {
	status  int
	grpc    string // status of a call over gRPC; "": it is none
	header  http.Header
	content []byte
	long    bool // there is more of it
}

// Difference is something that two responses don't have in common.
type Difference struct {
	Kind   string `json:"kind"`
	Field  string `json:"field,omitempty"`  // what was compared: a header field, a JSONPath
	At     string `json:"at,omitempty"`     // where in the JSON
	First  string `json:"first,omitempty"`  // what the first has there, "" for nothing
	Second string `json:"second,omitempty"` // and the shadow
}

// mostDifferences bounds what is found of one kind in two responses: the first few say
// enough.
const mostDifferences = 8

// comparison is what is compared, ready to be.
type comparison struct {
	rules        *config.Compare
	json, ignore []path
}

func compile(rules *config.Compare) (c comparison, err error) {
	c.rules = rules
	if c.json, err = pathsOf(rules.JSON); err != nil {
		return c, err
	}
	c.ignore, err = pathsOf(rules.Ignore)
	return c, err
}

// response is the captured response in the form that is compared.
func (a *capturedResponse) response() response {
	r := response{status: a.status, grpc: string(a.grpc()), header: make(http.Header, len(a.parsed.Fields)), content: a.content, long: a.long}
	for _, f := range a.parsed.Fields {
		r.header.Add(string(f.Name.Of(a.head)), string(f.Value.Of(a.head)))
	}
	return r
}

// grpc is the status of a call over gRPC: what ends it counts, or else its head. nil: it is
// none.
func (a *capturedResponse) grpc() []byte {
	if len(a.trailers) == 0 {
		return a.field("grpc-status")
	}
	for line := range bytes.SplitSeq(a.trailers, []byte("\r\n")) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && http1.EqualFold(name, "grpc-status") {
			return bytes.TrimSpace(value)
		}
	}
	return a.field("grpc-status")
}

// responses finds what is different. unread says that bodies were to be compared and
// couldn't be. secrets are names of JSON's members whose values aren't shown, in addition
// to the known ones.
func (c *comparison) responses(first, second response, secrets []string) (found []Difference, unread bool) {
	if c.rules.Status {
		if first.status != second.status {
			found = append(found, Difference{Kind: KindStatus, First: strconv.Itoa(first.status), Second: strconv.Itoa(second.status)})
		}
		if first.grpc != second.grpc {
			found = append(found, Difference{Kind: KindGRPC, First: first.grpc, Second: second.grpc})
		}
	}
	for _, name := range c.rules.Headers {
		key := http.CanonicalHeaderKey(name)
		if a, b := first.header[key], second.header[key]; !slices.Equal(a, b) {
			found = append(found, Difference{Kind: KindHeader, Field: name, First: strings.Join(a, ", "), Second: strings.Join(b, ", ")})
		}
	}
	if !c.rules.Content() {
		return found, false
	}
	if first.long && second.long {
		return found, true
	}
	if c.rules.Body && (first.long != second.long || !bytes.Equal(first.content, second.content)) {
		found = append(found, Difference{Kind: KindBody, First: size(first), Second: size(second)})
	}
	if len(c.json) == 0 || len(first.content)+len(second.content) == 0 {
		return found, false
	}
	more, unread := c.documents(first, second, secrets)
	return append(found, more...), unread
}

// documents compares two bodies as JSON. One that is none beside one that is JSON is a
// difference; two of them can't be compared.
func (c *comparison) documents(first, second response, secrets []string) (found []Difference, unread bool) {
	a, aErr := decode(&first)
	b, bErr := decode(&second)
	switch {
	case aErr != nil && bErr != nil:
		return nil, true
	case aErr != nil || bErr != nil:
		d := Difference{Kind: KindJSON, Field: c.json[0].text, At: "$", First: "JSON", Second: "JSON"}
		if aErr != nil {
			d.First = aErr.Error()
		} else {
			d.Second = bErr.Error()
		}
		return []Difference{d}, false
	}
	return c.values(a, b, secrets)
}

var errLong = errors.New("longer than is compared")

// decode reads a body as JSON, out of the coding that it is sent in.
func decode(r *response) (any, error) {
	if r.long {
		return nil, errLong
	}
	content := r.content
	switch coding := strings.ToLower(r.header.Get("Content-Encoding")); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, errors.New("no gzip")
		}
		most := int64(mostInflated * (len(content) + 1<<10))
		if content, err = io.ReadAll(io.LimitReader(z, most+1)); err != nil {
			return nil, errors.New("no whole gzip")
		}
		if int64(len(content)) > most {
			return nil, errLong
		}
	default:
		return nil, errors.New("coded as " + cut(coding))
	}
	v, err := document(content)
	if err != nil {
		return nil, errors.New("no JSON")
	}
	return v, nil
}

// mostInflated bounds what is unpacked, in times of what was sent.
const mostInflated = 16

func size(r response) string {
	if r.long {
		return "more than " + strconv.Itoa(len(r.content)) + " bytes"
	}
	return strconv.Itoa(len(r.content)) + " bytes"
}
