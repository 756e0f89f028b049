//go:build linux

package proxy

import (
	"net/netip"
	"strconv"

	"dyno.example/nanogate/internal/filter"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
	"dyno.example/nanogate/internal/translate"
)

// A client that may ask how a request was handled finds it in the response: the filters that the
// request came to, with what each decided and how long it took, and those that took part in the
// exchange itself, with their time at each slot, in Server-Timing (W3C), which browsers show. It
// can't have what is done after the response's head is written.

// explainField is the field with which a request asks.
const explainField = "nanogate-explain"

// explanation is what a response will say.
type explanation struct {
	route  *snapshot.Route
	now    func() int64 // ns
	text   []byte       // of the filters that were asked about the head
	passed bool         // all of them were

	asked  *snapshot.Step // the last of those
	by     []byte         // who holds the request back; empty: nobody does
	holds  int64          // since when, ns
	waited int64          // ns for which it was held back, until now

	called filter.Set                      // at slots
	spent  [filter.Slots][filter.IDs]int64 // ns of the loop's time at each
	open   []visit                         // calls that aren't over, each within the one before
}

// visit is a call of a filter at a slot.
type visit struct {
	at    filter.Slot
	by    filter.ID
	since int64 // when its own time, which isn't that of calls within it, began to run last, ns
}

// explained is what the exchange's response will say; nil: it needn't.
func (x *exchange) explained() *explanation {
	if x.kept == nil {
		return nil
	}
	return x.kept.explanation
}

// explains begins an explanation, if one is asked for and may be given.
func (l *loop) explains(x *exchange, may []netip.Prefix, r *request.Request) {
	if _, asked := r.Header(explainField); !asked {
		return
	}
	r.Drop(explainField)
	if !translate.Trusts(may, r.Client) {
		return
	}
	l.keep(x).explanation = &explanation{
		route: x.route, now: l.Sys.Now, text: strconv.AppendQuote([]byte("Server-Timing: route;desc="), x.route.Name),
	}
}

// check asks a filter about a request, and notes what it said.
func (e *explanation) check(s *snapshot.Step, r *request.Request) *request.Reply {
	began := e.now()
	e.asked = s
	reply := s.Filter.Check(r)
	e.text = appendTook(appendFilter(e.text, s.Phase, s.Name), e.now()-began)
	switch {
	case reply == nil:
	case reply.Deferred != nil || reply.Queue != nil:
		e.text = append(e.text, `;desc="waits"`...)
	default:
		e.text = append(strconv.AppendInt(append(e.text, `;desc="`...), int64(reply.Status), 10), '"')
	}
	return reply
}

// heldBy notes that a filter holds a request back from here on: by a timer, in a queue or for a decision,
// while the loop does other things. The empty name is that of the filter that was asked last.
func (x *exchange) heldBy(p filter.Phase, name string) {
	e := x.explained()
	if e == nil || len(e.by) > 0 {
		return
	}
	if name == "" && e.asked != nil {
		p, name = e.asked.Phase, e.asked.Name
	}
	if name != "" {
		e.by, e.holds = appendFilter(e.by, p, name), e.now()
	}
}

// goesOn notes that it no longer does.
func (x *exchange) goesOn() {
	if e := x.explained(); e != nil {
		e.release()
	}
}

// release says for how long it did, in a part of its own.
func (e *explanation) release() {
	if len(e.by) == 0 {
		return
	}
	held := e.now() - e.holds
	e.text = append(appendTook(append(e.text, e.by...), held), `;desc="held"`...)
	e.waited, e.by = e.waited+held, e.by[:0]
}

// enter begins a call of a filter at a slot: the time of the one that it is within stands still.
func (e *explanation) enter(at filter.Slot, by filter.ID) {
	now := e.now()
	e.charge(now)
	e.called = e.called.With(by)
	e.open = append(e.open, visit{at, by, now})
}

// leave ends it.
func (e *explanation) leave() {
	now := e.now()
	e.charge(now)
	if e.open = e.open[:len(e.open)-1]; len(e.open) > 0 {
		e.open[len(e.open)-1].since = now
	}
}

// charge counts the time that has passed for the filter that is called.
func (e *explanation) charge(now int64) {
	if n := len(e.open); n > 0 {
		v := &e.open[n-1]
		e.spent[v.at][v.by] += now - v.since
		v.since = now
	}
}

// appendTo appends the field that says it of an exchange.
func (e *explanation) appendTo(dst []byte, x *exchange) []byte {
	e.charge(e.now())
	e.release()
	dst = append(dst, e.text...)
	others := e.called
	for _, f := range e.route.Along {
		others &^= f.With
	}
	for others != 0 {
		var id filter.ID
		id, others = others.Last() // middleware comes before what all routes have
		dst = e.appendSlots(appendFilter(dst, id.Phase(), id.String()), id)
	}
	for _, f := range e.route.Along {
		called := f.With & e.called
		if called != 0 || e.passed {
			dst = appendFilter(dst, f.Phase, f.Name)
		}
		if called != 0 {
			id, _ := called.First()
			dst = e.appendSlots(dst, id)
		}
	}
	return append(e.appendUpstream(dst, x), "\r\n"...)
}

// appendUpstream appends how long the endpoint took whose response is passed on, until its head was
// in, and how long it was before that from the request's head to the attempt, without what filters held
// it back for: their work, and attempts that failed.
func (e *explanation) appendUpstream(dst []byte, x *exchange) []byte {
	o := &x.outcome
	if !o.Upstream || o.Responded == 0 || x.endpoint == nil {
		return dst
	}
	dst = appendTook(append(dst, ", before"...), max(x.tried-o.Began-e.waited, 0))
	dst = appendTook(append(dst, ", upstream"...), max(o.Responded-x.tried, 0))
	return append(append(append(dst, `;desc="`...), x.endpoint.Name...), '"')
}

// appendSlots appends how long a filter took, in all and at each slot.
func (e *explanation) appendSlots(dst []byte, id filter.ID) []byte {
	whole := int64(0)
	for _, at := range id.Slots() {
		whole += e.spent[at][id]
	}
	dst = appendTook(dst, whole)
	before := `;desc="`
	for _, at := range id.Slots() {
		if took := e.spent[at][id]; took > 0 {
			dst = append(append(append(dst, before...), at.String()...), ' ')
			dst, before = appendMs(dst, took), ", "
		}
	}
	if whole > 0 {
		dst = append(dst, '"')
	}
	return dst
}

func appendTook(dst []byte, ns int64) []byte { return appendMs(append(dst, ";dur="...), ns) }

func appendMs(dst []byte, ns int64) []byte {
	return strconv.AppendFloat(dst, float64(ns)/1e6, 'f', 4, 64)
}

// appendFilter appends a filter's name, which is a token (RFC 9110 5.6.2) whatever middleware is
// called.
func appendFilter(dst []byte, p filter.Phase, name string) []byte {
	dst = append(append(append(dst, ", "...), p.String()...), '.')
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			dst = append(dst, c)
		} else {
			dst = append(dst, '_')
		}
	}
	return dst
}
