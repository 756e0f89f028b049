//go:build linux

package proxy

import (
	"net/netip"
	"strconv"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

// Who may ask what becomes of a request is told in the response: the filters that it came to
// with what each said and how long it took, and those that go along with it from there, as
// Server-Timing has it (W3C), which browsers show.

// explainField is the field with which a request asks.
const explainField = "nanogate-explain"

// explanation is what a response will say; it is the request's for as long as that is under
// way.
type explanation struct {
	asked bool
	text  []byte
}

// explained is what the exchange's response will say; nil: it needn't.
func (x *exchange) explained() *explanation {
	if x.kept == nil || !x.kept.explanation.asked {
		return nil
	}
	return &x.kept.explanation
}

// explains begins an explanation, if one is asked for and may be given.
func (l *loop) explains(x *exchange, may []netip.Prefix, r *request.Request) {
	if _, asked := r.Header(explainField); !asked {
		return
	}
	r.Drop(explainField)
	if !trusts(may, r.Client) {
		return
	}
	e := &l.keep(x).explanation
	e.asked, e.text = true, strconv.AppendQuote(append(e.text[:0], "route;desc="...), x.route.Name)
}

// check asks a filter about a request, and notes what it said.
func (e *explanation) check(s *snapshot.Step, r *request.Request) *request.Reply {
	began := clock.Now()
	reply := s.Filter.Check(r)
	took := clock.Now() - began
	e.name(s.Phase, s.Name)
	e.text = strconv.AppendFloat(append(e.text, ";dur="...), float64(took)/1e6, 'f', 4, 64)
	switch {
	case reply == nil:
	case reply.Deferred != nil || reply.Queue != nil:
		e.text = append(e.text, `;desc="waits"`...)
	default:
		e.text = append(strconv.AppendInt(append(e.text, `;desc="`...), int64(reply.Status), 10), '"')
	}
	return reply
}

// name appends a filter's name, which is a token (RFC 9110 5.6.2) whatever middleware is
// called.
func (e *explanation) name(p filter.Phase, name string) {
	e.text = append(append(append(e.text, ", "...), p.String()...), '.')
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			e.text = append(e.text, c)
		} else {
			e.text = append(e.text, '_')
		}
	}
}

// tell has the response say it. passed says that the request has come through all filters
// that are asked about heads.
func (e *explanation) tell(route *snapshot.Route, r *request.Request, passed bool) {
	if passed {
		for _, f := range route.Along {
			e.name(f.Phase, f.Name)
		}
	}
	r.Respond("Server-Timing", e.text)
}
