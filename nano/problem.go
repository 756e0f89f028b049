package nano

import (
	"encoding/json"

	"dyno/nano/wire/http1"
)

// Problem is an error with a response, in the form of RFC 9457. Detail is for the
// client: it must not hold secrets.
type Problem struct {
	Type     string `json:"type,omitempty"` // a URI; empty means about:blank
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	// More is put beside the fields above, and can't replace them.
	More map[string]any `json:"-"`

	cause error
}

// NewProblem returns a problem with the status' own title, as RFC 9110 15 has it.
func NewProblem(status int, detail string) *Problem {
	return &Problem{Title: http1.Reason(status), Status: status, Detail: detail}
}

// Because keeps the error behind the problem for logs and errors.Is. Clients
// don't see it.
func (p *Problem) Because(err error) *Problem { p.cause = err; return p }

func (p *Problem) Error() string {
	s := p.Title
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if p.cause != nil {
		s += ": " + p.cause.Error()
	}
	return s
}

func (p *Problem) Unwrap() error { return p.cause }

func (p *Problem) encode() ([]byte, error) {
	if len(p.More) == 0 {
		return json.Marshal(p)
	}
	all := map[string]any{}
	for k, v := range p.More {
		all[k] = v
	}
	all["title"], all["status"] = p.Title, p.Status
	for k, v := range map[string]string{"type": p.Type, "detail": p.Detail, "instance": p.Instance} {
		if v != "" {
			all[k] = v
		}
	}
	return json.Marshal(all)
}
