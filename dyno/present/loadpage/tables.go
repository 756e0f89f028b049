package loadpage

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"dyno.example/dyno/export"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
)

// checks are what had to hold, and whether it did.
func checks(list []export.Check, t report.Texts) section {
	s := section{ID: "checks", Title: t.Text("loadpage.checks"), Head: heads(t, "threshold", "result", "measured")}
	for _, c := range list {
		class := "bad"
		switch c.Result {
		case export.Passed:
			class = "good"
		case export.Skipped:
			class = ""
		}
		s.Rows = append(s.Rows, row{class, []string{c.Name, t.Text("loadpage.check." + string(c.Result)), t.Say(c.Message)}})
	}
	return s
}

// statuses are the complete responses by their status, over HTTP and gRPC.
func statuses(r *load.Result, t report.Texts) section {
	s := section{ID: "statuses", Title: t.Text("statuses.title"), Head: heads(t, "status", "responses", "share"), Note: t.Text("loadpage.statuses.note")}
	all := responses(&r.All)
	for _, status := range slices.Sorted(maps.Keys(r.All.Statuses)) {
		n := r.All.Statuses[status]
		s.Rows = append(s.Rows, row{"", []string{strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status))), number(n), share(n, all)}})
	}
	calls := uint64(0)
	for _, n := range r.All.Codes {
		calls += n
	}
	for _, code := range slices.Sorted(maps.Keys(r.All.Codes)) {
		s.Rows = append(s.Rows, row{"", []string{"gRPC " + code, number(r.All.Codes[code]), share(r.All.Codes[code], calls)}})
	}
	if s.Rows == nil {
		return section{}
	}
	return s
}

// errorKinds are the failed requests by kind, with the first of each.
func errorKinds(r *load.Result, t report.Texts) section {
	s := section{ID: "errors", Title: t.Text("loadpage.errors"), Head: heads(t, "kind", "number", "share", "first")}
	total := &r.All
	all := total.Ended()
	for _, e := range total.Errors.ByKind() {
		if e.Count > 0 {
			s.Rows = append(s.Rows, row{"bad", []string{kindText(t, e.Kind), number(e.Count), share(e.Count, all), t.Say(r.FirstErrors[e.Kind])}})
		}
	}
	var causes []string
	for _, c := range r.Causes {
		causes = append(causes, fmt.Sprintf("%s %s: %d", t.Text("load.kind."+c.Kind), c.Name, c.Count))
	}
	if s.Note = strings.Join(causes, t.Text("list.comma")); s.Rows == nil {
		s.Lead = t.Text("loadpage.errors.none")
	}
	return s
}

// requests are the kinds of requests of a mix.
func requests(r *load.Result, t report.Texts) section {
	s := section{ID: "requests", Title: t.Text("requests.title"), Lead: untrusted(r, t), Note: t.Text("requests.note")}
	s.Head = append(heads(t, "request", "answered", "failed", "throughput"), "p50", "p90", "p99", t.Text("load.max"))
	for i := range r.Requests {
		k := &r.Requests[i]
		w := k.Shown()
		failed, rate := k.All.Errors.Total(), present.NoFigure
		if w.Length > 0 {
			rate = present.Number(w.Throughput()) + "/s"
		}
		class := ""
		if failed > 0 {
			class = "bad"
		}
		texts := []string{k.Name, number(k.All.Right()), number(failed), rate}
		s.Rows = append(s.Rows, row{class, append(texts, quantiles(w, "p50", "p90", "p99", "max")...)})
	}
	if s.Rows == nil {
		return section{}
	}
	return s
}

// clocks are the percentiles of all that was timed.
func clocks(r *load.Result, t report.Texts) section {
	s := section{ID: "times", Title: t.Text("loadpage.times"), Lead: untrusted(r, t), Note: t.Text("loadpage.times.note")}
	s.Head = append(heads(t, "clock"), export.FigureNames()...)
	s.Head[1], s.Head[len(s.Head)-1] = t.Text("load.mean"), t.Text("load.max")
	w, _ := r.Shown()
	if w.Length > 0 {
		s.Facts = [][2]string{{t.Text("load.throughput"), t.Text("load.rate."+cmp.Or(r.Unit, "requests"), "n", present.Number(w.Throughput()))}}
	}
	for _, clock := range []measure.Clock{measure.Response, measure.Service, measure.Lag, measure.FirstByte, measure.Connect, measure.FullHandshake, measure.ResumedHandshake, measure.Message, measure.ReadDelay} {
		if h := w.Hist[clock]; h == nil || present.Duration(float64(h.Max())) == present.Duration(0) {
			continue // as the lag of a closed loop
		}
		texts := []string{t.Text("load.clock." + clock.String())}
		for _, f := range export.Figures(w, clock) {
			texts = append(texts, figure(f))
		}
		s.Rows = append(s.Rows, row{"", texts})
	}
	if s.Rows == nil {
		return section{}
	}
	if n := r.Total.Failed(measure.Response); n > 0 {
		s.Lead = t.Text("load.slowest", "n", n, "mark", present.Failed)
	}
	return s
}

// stages are the parts of a load of several.
func stages(r *load.Result, t report.Texts) section {
	s := section{ID: "stages", Title: t.Text("stages.title"), Head: append(heads(t, "phase", "seconds", "offered", "throughput", "failed"), "p50", "p99")}
	list := r.Stages()
	for i := range list {
		g := &list[i]
		texts := []string{fmt.Sprintf("%d · %s", g.Phase+1, g.Name)}
		if seconds := g.Total.Length.Seconds(); g.Windows > 0 {
			texts = append(texts, fmt.Sprintf("%.4g", seconds), present.Number(float64(g.Total.Offered)/seconds)+"/s", present.Number(g.Throughput())+"/s", number(g.Total.Errors.Total()))
			texts = append(texts, quantiles(&g.Total, "p50", "p99")...)
		} else {
			texts = append(texts, "0", present.NoFigure, present.NoFigure, present.NoFigure, present.NoFigure, present.NoFigure)
		}
		s.Rows = append(s.Rows, row{"", texts})
	}
	if s.Rows == nil {
		return section{}
	}
	return s
}

// counts are what became of all requests that were due.
func counts(r *load.Result, t report.Texts) section {
	w := &r.All
	s := section{ID: "counts", Title: t.Text("loadpage.counts")}
	for _, c := range []struct {
		key  string
		n    uint64
		also bool // if it is none
	}{
		{"offered", w.Offered, false}, {"sent", w.Sent, true}, {"asexpected", w.Completed - w.Carried, true}, {"drained", w.Drained, false}, {"failed", w.Errors.Total(), true}, {"shed", w.Shed, false}, {"unfinished", w.Unfinished, false},
	} {
		if c.n > 0 || c.also {
			s.Facts = append(s.Facts, [2]string{t.Text("loadpage.count." + c.key), number(c.n)})
		}
	}
	s.Facts = append(s.Facts, [2]string{t.Text("loadpage.count.received"), present.Bytes(w.BytesIn)}, [2]string{t.Text("loadpage.count.bytes"), present.Bytes(w.BytesOut)})
	if invalid, measured, _ := r.LeftOut(); 0 < invalid && invalid < measured {
		s.Lead = t.Text("loadpage.counts.left", "invalid", invalid, "measured", measured)
	}
	return s
}

// quantiles are figures of the response time.
func quantiles(w *measure.Window, names ...string) []string {
	return pick(export.Figures(w, measure.Response), names...)
}

// pick are the figures of these names.
func pick(figures []export.Figure, names ...string) []string {
	out := slices.Repeat([]string{present.NoFigure}, len(names))
	for _, f := range figures {
		if i := slices.Index(names, f.Name); i >= 0 {
			out[i] = figure(f)
		}
	}
	return out
}

func figure(f export.Figure) string {
	switch {
	case f.Absent:
		return present.NoFigure
	case f.Failed:
		return present.Failed
	}
	return present.AtLeast(f.Known, present.Duration(f.NS))
}

// heads are heads of a table's columns.
func heads(t report.Texts, names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = t.Text("loadpage.head." + name)
	}
	return out
}
