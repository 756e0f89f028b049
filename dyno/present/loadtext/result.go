package loadtext

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/export"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Describe says in one line what is about to happen.
func Describe(s *load.Spec) i18n.Message {
	parts := []i18n.Message{i18n.Format("%s %s: %s", sentTo(s), s.Target, present.Connections(s.Profile.Connections))}
	if n := s.Link.Streams; n > 0 {
		parts = append(parts, i18n.New("loadtext.streams-each", "%s with %s each", s.Link.Version(), present.Streams(n)))
	}
	if s.Link.HTTP3 {
		parts = append(parts, i18n.New("loadtext.quic-go", "by quic-go and the portable engine"))
	}
	parts = append(parts, rhythm(s))
	if s.Duration > 0 {
		parts = append(parts, i18n.Join(s.Duration))
	}
	if n := s.MaxRequests; n > 0 {
		parts = append(parts, i18n.Plural(int(min(n, 2)), i18n.New("count.request", "%d request", n), i18n.New("count.requests", "%d requests", n)))
	}
	return i18n.List(", ", parts...)
}

// sentTo is what is sent to the target.
func sentTo(s *load.Spec) i18n.Message {
	switch n := len(s.Requests); {
	case s.Link.Events != nil:
		return i18n.New("loadtext.events-of", "server-sent events of")
	case s.Link.WebSocket != nil && s.Link.WebSocket.Pushes():
		return i18n.New("loadtext.messages-from", "messages that come from")
	case s.Link.WebSocket != nil && n > 1:
		return i18n.New("loadtext.kinds-messages", "%d kinds of messages to", n)
	case s.Link.WebSocket != nil:
		return i18n.New("loadtext.messages-to", "messages to")
	case n > 1:
		return i18n.New("loadtext.kinds-requests", "%d kinds of requests to", n)
	}
	return i18n.Verbatim(s.Requests[0].Verb())
}

// rhythm is when it is sent.
func rhythm(s *load.Spec) i18n.Message {
	switch {
	case s.Profile.Mode == profile.Open:
		return i18n.New("loadtext.arrivals-seed", "%s (%s arrivals, seed %d)", s.Profile.Rhythm(), s.Profile.Arrivals, s.Seed)
	case s.Link.Listens():
		return i18n.New("loadtext.held-open", "held open")
	case s.Profile.Think.Mean > 0:
		return i18n.New("loadtext.closed-loop-think", "closed loop with a think time of %v", s.Profile.Think.String())
	}
	return i18n.New("loadtext.closed-loop", "closed loop")
}

// Text prints the result of a load in a language.
type Text struct {
	io.Writer
	report.Texts
}

// New prints to w in the language given ("en" if empty).
func New(w io.Writer, lang string) (*Text, error) {
	texts, err := report.TextsIn(lang)
	return &Text{w, texts}, err
}

// labelled prints a line that begins with what it is about.
func (w *Text) labelled(label, text string) {
	fmt.Fprintf(w, "  %s %s\n", present.Left(label, 12), text)
}

// aligned writes texts to the right of their columns, each after a space.
func aligned(widths []int, texts ...string) string {
	var b strings.Builder
	for i, text := range texts {
		b.WriteString(" " + present.Right(text, widths[i]))
	}
	return b.String()
}

// width is that of a table's lines, as of a terminal that nobody made wider.
const width = 80

// named prints a table whose rows begin with a name, which is cut so that lines have no
// more columns than width; the figures take what they need, and at least so many. A row
// of fewer texts ends in a remark.
func (w *Text) named(rows [][]string, least []int) {
	widths := slices.Clone(least)
	for _, row := range rows {
		for i := range widths {
			if len(row) == len(widths)+1 {
				widths[i] = max(widths[i], present.Width(row[i+1]))
			}
		}
	}
	name := width - len("  ")
	for _, w := range widths {
		name -= w + 1
	}
	name = max(name, 8)
	fmt.Fprintln(w)
	for _, row := range rows {
		line := "  " + present.Left(present.Cut(row[0], name), name)
		if len(row) < len(widths)+1 {
			last := len(row) - 1
			fmt.Fprintf(w, "%s%s  %s\n", line, aligned(widths, row[1:last]...), row[last])
			continue
		}
		fmt.Fprintln(w, line+aligned(widths, row[1:]...))
	}
}

// Result prints what wrk's and hey's users know: first how much was sent and what came
// back, in all seconds; then figures, of the seconds that count. If none does, they are
// of all, and said not to be trusted.
func (w *Text) Result(r *load.Result) {
	if r.All.Length > 0 {
		all := &r.All
		fmt.Fprintf(w, "\n  %s\n", w.Text("load.summary", "requests", w.Count("load."+unit(r), all.Ended()), "failed", present.Number(float64(all.Errors.Total())), "length", present.Duration(float64(all.Length)), "bytes", present.Bytes(all.BytesIn)))
		w.statuses(all)
		w.calls(all)
		w.figures(r)
	} else {
		fmt.Fprintf(w, "\n  %s\n", w.Text("load.nothing"))
	}
	w.errors(r)
	w.causes(r)
	w.failures(r)
	w.requests(r.Requests)
	w.stages(r.Stages())
	cost := present.NoFigure
	if r.Total.Completed > 0 && r.Total.Worked() > 0 {
		cost = fmt.Sprintf("%.2f µs", present.Micros(r.CPUPerRequest()))
	}
	fmt.Fprintln(w)
	w.labelled(w.Text("load.generator"), w.Text("load.generator.text", "engine", r.Engine, "cost", cost, "stall", r.All.Stall.Round(time.Microsecond)))
	w.leftOut(r)
	w.labelled(w.Text("load.validity"), w.Text("validity."+r.Level()))
	for _, f := range r.Findings {
		detail := w.Say(f.Detail)
		if f.Accepted {
			detail += " (" + w.Text("validity.accepted") + ")"
		}
		fmt.Fprintf(w, "    %s%s%s\n", f.Name, w.Text("list.colon"), detail)
	}
}

// figures are those of the seconds that count, or of all if none does.
func (w *Text) figures(r *load.Result) {
	t, trusted := r.Shown()
	if !trusted {
		_, measured, reasons := r.LeftOut()
		fmt.Fprintf(w, "\n  %s\n", w.Text("load.untrusted", "measured", measured, "reasons", strings.Join(finding.Words(reasons), ", ")))
	}
	w.labelled(w.Text("load.throughput"), w.Text("load.rate."+unit(r), "n", present.Number(t.Throughput())))
	w.messages(r)
	fmt.Fprintln(w)
	w.clocks(t)
}

// clockWidths are those of the columns of the clocks' figures.
var clockWidths = slices.Repeat([]int{8}, len(export.FigureNames()))

// clocks prints a line of figures for each clock that says something. What is only
// known to be longer than what was seen is printed as ">= ".
func (w *Text) clocks(t *measure.Window) {
	heads := export.FigureNames()
	heads[0], heads[len(heads)-1] = w.Text("load.mean"), w.Text("load.max")
	fmt.Fprintf(w, "  %s%s\n", present.Left("", 12), aligned(clockWidths, heads...))
	for _, clock := range []measure.Clock{measure.Response, measure.Service, measure.Lag, measure.FirstByte, measure.Connect, measure.FullHandshake, measure.ResumedHandshake, measure.Message, measure.ReadDelay} {
		h := t.Hist[clock]
		if h == nil || present.Duration(float64(h.Max())) == present.Duration(0) { // as the lag of a closed loop
			continue
		}
		var figures []string
		for _, f := range export.Figures(t, clock) {
			figures = append(figures, figureText(f))
		}
		fmt.Fprintf(w, "  %s%s\n", present.Left(w.Text("load.clock."+clock.String()), 12), aligned(clockWidths, figures...))
	}
	if n := t.Failed(measure.Response); n > 0 {
		fmt.Fprintf(w, "  %s %s\n", present.Left("", 12), w.Text("load.slowest", "n", n, "mark", present.Failed))
	}
}

func figureText(f export.Figure) string {
	switch {
	case f.Absent:
		return present.NoFigure
	case f.Failed:
		return present.Failed
	}
	return present.AtLeast(f.Known, present.Duration(f.NS))
}

// lateShare is the share of requests sent after the end from which on it is said.
const lateShare = 0.001

func (w *Text) errors(r *load.Result) {
	t := &r.All
	line := func(label, text string) { fmt.Fprintf(w, "\n  %s %s", present.Left(label, 12), text) }
	for _, e := range t.Errors.ByKind() {
		if e.Count > 0 {
			line(w.Text("load.errors"), fmt.Sprintf("%d %s (%s)", e.Count, w.Text("load.kind."+e.Kind), w.Say(r.FirstErrors[e.Kind])))
		}
	}
	if t.Shed > 0 {
		line(w.Text("load.shed"), w.Text("load.shed.text", "n", t.Shed))
	}
	if late := t.SentLate; float64(late) > lateShare*float64(t.Sent) {
		line(w.Text("load.drain"), w.Text("load.drain.text", "n", late))
	}
	if t.Drained > 0 {
		line(w.Text("load.drained"), w.Text("load.drained.text", "n", t.Drained))
	}
	if t.Unfinished > 0 {
		line(w.Text("load.unfinished"), w.Text("load.unfinished.text", "n", t.Unfinished, "drain", r.Drain, "longest", present.Duration(float64(t.Longest(measure.Response)))))
	}
	if t.Errors.Total()+t.Shed > 0 {
		fmt.Fprintln(w)
	}
}

// Calibration says in a line what the generator can do here.
func Calibration(c *measure.Calibration) i18n.Message {
	text := i18n.New("loadtext.generator-check", "up to %s requests/s, none faster than %s, timer late by %s (p99)", present.Number(c.Ceiling), present.Duration(float64(c.Floor.Min)), present.Duration(float64(c.Timer.P99)))
	if c.Streams > 0 {
		over := "HTTP/2"
		if c.Protocol == "grpc" {
			over = "gRPC"
		}
		text = i18n.New("loadtext.connections-then", "over %s with %s a connection, %s", over, present.Streams(c.Streams), text)
	}
	if c.LagRate > 0 {
		text = i18n.Join(text, i18n.New("loadtext.lag-p99-s", ", lag %s (p99) at %s/s", present.Duration(float64(c.Lag.P99)), present.Number(c.LagRate)))
	}
	return text
}

// leftOut says how many windows are in no figure, and why; if none is in one, what has
// them count.
func (w *Text) leftOut(r *load.Result) {
	invalid, measured, reasons := r.LeftOut()
	if invalid == 0 {
		return
	}
	key := "load.left.text"
	accept := r.Acceptable() // nothing else has them count
	if len(accept) > 0 {
		key = "load.left.all"
	}
	w.labelled(w.Text("load.left"), w.Text(key, "invalid", invalid, "measured", measured, "reasons", strings.Join(finding.Words(reasons), ", "), "accept", strings.Join(finding.Words(accept), ",")))
}
