package export

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// Benchstat writes the load in the Go benchmark data format, which benchstat
// reads (https://go.dev/design/14313-benchmark-format): a line per window that
// counts, so that there are samples to compare.
//
// What tells two files apart (target, seed, version) is in comments: as a
// configuration line it would keep benchstat from comparing them. A figure of
// which only a lower bound is known is left out of its line and told in a
// comment instead.
func Benchstat(w io.Writer, l *Load, version string) error {
	var b bytes.Buffer
	s := l.Spec
	fmt.Fprintf(&b, "# dyno %s, target %s, seed %d, %s\n", version, Target(s), s.Seed, l.Result.Level())
	fmt.Fprintf(&b, "pkg: dyno/load\n")
	for _, u := range []string{"req/s better=higher", "err-% better=lower"} {
		fmt.Fprintf(&b, "Unit %s\n", u)
	}
	name := benchmarkName(s)
	for window := range l.counted() {
		if window.Timed(measure.Response) > 0 && window.Length > 0 {
			benchmarkLine(&b, name, window)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// benchmarkName names what was done, so that two loads of the same kind have the
// same name. It ends in a key=value, so that no part of it is taken for the
// number of CPUs, which benchmarks of the testing package end in.
func benchmarkName(s *load.Spec) string {
	name := "BenchmarkLoad"
	if len(s.Requests) == 1 {
		r := &s.Requests[0]
		name += "/" + r.Method + "=" + url.QueryEscape(withoutQuery(r.Path))
	} else {
		name += fmt.Sprintf("/requests=%d", len(s.Requests))
	}
	name += fmt.Sprintf("/%s/c=%d", s.Profile.Mode, s.Profile.Connections)
	if s.Profile.Rate > 0 {
		name += "/rate=" + decimals(s.Profile.Rate, 3)
	}
	if len(s.Profile.Phases) > 0 {
		name += "/phases=" + url.QueryEscape(s.Profile.Rhythm().String())
	}
	return name
}

// benchmarkLine writes one window: the number of responses, then value and unit in
// turn. ns/op is the mean response time.
func benchmarkLine(b *bytes.Buffer, name string, w *measure.Window) {
	fmt.Fprintf(b, "%s %d", name, w.Timed(measure.Response))
	var bounds []Figure
	for _, f := range Figures(w, measure.Response) {
		if f.Absent {
			continue
		}
		if !f.Known {
			bounds = append(bounds, f)
			continue
		}
		fmt.Fprintf(b, " %s %s", strconv.FormatFloat(f.NS, 'f', 0, 64), benchmarkUnit(f.Name))
	}
	ended := w.Right() + w.Errors.Total()
	fmt.Fprintf(b, " %s req/s %s err-%%\n", perSecond(w.Completed, w), decimals(100*float64(w.Errors.Total())/float64(ended), 4))
	for _, f := range bounds {
		fmt.Fprintf(b, "# window %d: %s >= %.0f\n", w.Index, benchmarkUnit(f.Name), f.NS)
	}
}

func benchmarkUnit(figure string) string {
	if figure == "mean" {
		return "ns/op"
	}
	return figure + "-ns"
}
