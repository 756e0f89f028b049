package loadtext

import (
	"cmp"
	"fmt"
	"strings"

	"dyno.example/dyno/load"
	"dyno.example/dyno/present"
)

// unit is what a load counts: "requests", "messages" or "events".
func unit(r *load.Result) string { return cmp.Or(r.Unit, "requests") }

// messages tells of what went over WebSockets or gRPC, or came as events; nothing for
// other requests.
func (w *Text) messages(r *load.Result) {
	t, _ := r.Shown()
	m, seconds := &t.Messages, t.Length.Seconds()
	rate := func(n uint64) string { return present.Number(float64(n) / seconds) }
	var said []string
	label := "load.messages"
	switch of := unit(r); {
	case of == "messages", of == "requests" && m.Out+m.In > 0: // over gRPC
		said = append(said, w.Text("load.messages.text", "out", m.Out, "in", m.In, "outrate", rate(m.Out), "inrate", rate(m.In)))
	case of == "events":
		label = "load.events"
		said = append(said, w.Text("load.events.text", "in", m.In, "inrate", rate(m.In)))
	default:
		return
	}
	for _, one := range []struct {
		key string
		n   uint64
	}{
		{"pings", m.Pings}, {"reconnects", m.Reconnects}, {"missed", m.Missed}, {"repeated", m.Repeated}, {"unstamped", m.Unstamped}, {"ahead", m.Ahead},
	} {
		if one.n > 0 {
			said = append(said, w.Text("load.messages."+one.key, "n", one.n))
		}
	}
	w.labelled(w.Text(label), strings.Join(said, w.Text("list.comma")))
}

// mostCauses are shown.
const mostCauses = 8

// causes tells how often what went wrong, by names finer than the kinds of errors.
func (w *Text) causes(r *load.Result) {
	if len(r.Causes) == 0 {
		return
	}
	var said []string
	for i, c := range r.Causes {
		if i == mostCauses {
			said = append(said, "…")
			break
		}
		said = append(said, fmt.Sprintf("%s %s: %d", w.Text("load.kind."+c.Kind), c.Name, c.Count))
	}
	fmt.Fprintln(w)
	w.labelled(w.Text("load.causes"), strings.Join(said, w.Text("list.comma")))
}
