package export

import (
	"encoding/json"
	"io"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

// loadJSON is what dyno load --json prints. Fields are added over time, never
// renamed.
type loadJSON struct {
	Target      string       `json:"target"`
	Engine      string       `json:"engine"`
	Mode        profile.Mode `json:"mode"`
	Connections int          `json:"connections"`
	Protocol    string       `json:"protocol"` // by its ALPN name: http/1.1, h2 or h3
	HTTP2       bool         `json:"http2,omitempty"`
	Streams     int          `json:"streams,omitempty"` // that each connection may have, over HTTP/2
	Rate        float64      `json:"rate,omitempty"`
	Seed        uint64       `json:"seed"`
	Interrupted bool         `json:"interrupted"`
	All         wholeJSON    `json:"all"`
	// Counts are of the windows that count, or of all if none does: then there are no figures.
	Requests   uint64   `json:"requests"` // with a response as expected
	Duration   float64  `json:"duration_s"`
	Throughput *float64 `json:"throughput"` // null, as all figures, if there is none
	Offered    uint64   `json:"offered"`
	Sent       uint64   `json:"sent"`
	Shed       uint64   `json:"shed"`
	SentLate   uint64   `json:"sent_late"` // of sent, after the end of the measured time
	Drained    uint64   `json:"drained"`   // responses that came after it
	Drain      float64  `json:"drain_s"`   // how long these were waited for at most
	Unfinished uint64   `json:"unfinished"`
	// The books, of the arrivals that were due in windows that count:
	// offered = requests - carried + drained + failed + shed + unfinished + cut_off.
	Failed      uint64                  `json:"failed"`                // errors that belong to a request
	Carried     uint64                  `json:"carried"`               // of requests: due in the warm-up or in a window that is left out
	Unsent      uint64                  `json:"unsent"`                // of unfinished: never sent
	CutOff      uint64                  `json:"cut_off"`               // of a closed loop: under way at the end for no longer than others
	Resubmitted uint64                  `json:"resubmitted,omitempty"` // requests sent again over HTTP/2, as the server had not looked at them
	BytesIn     uint64                  `json:"bytes_in"`
	BytesOut    uint64                  `json:"bytes_out"`
	Unit        string                  `json:"unit,omitempty"`     // what requests counts, if it is not requests: "messages" or "events"
	Messages    *measure.Messages       `json:"messages,omitempty"` // over WebSockets or gRPC, or events
	Errors      measure.Errors          `json:"errors"`
	Causes      []measure.Cause         `json:"causes,omitempty"`     // errors by names finer than their kinds
	Statuses    map[int]uint64          `json:"statuses"`             // complete responses by status
	Codes       map[string]uint64       `json:"grpc_codes,omitempty"` // complete calls over gRPC by the name of their status
	Location    string                  `json:"location,omitempty"`   // where the first redirect led
	FirstErrors map[string]i18n.Message `json:"first_errors"`
	Failures    []failureJSON           `json:"failures"` // a few failed requests of each kind
	Latency     map[string]latency      `json:"latency_us"`
	// AtLeast names, by clock, the figures that are only lower bounds.
	AtLeast map[string][]string `json:"latency_at_least,omitempty"`
	// AmongFailed names those that are among the requests that failed, which count as the
	// slowest: they are null.
	AmongFailed  map[string][]string  `json:"latency_failed,omitempty"`
	Censored     *float64             `json:"censored"` // share of requests whose response time is only known to be longer
	GeneratorCPU *float64             `json:"generator_cpu_us_per_request"`
	Calibration  *measure.Calibration `json:"calibration,omitempty"`
	Idle         *measure.Idle        `json:"server_idle,omitempty"` // what the server used before the load
	Counts       *load.Counts         `json:"counts,omitempty"`      // of the server against ours
	Validity     string               `json:"validity"`              // or "accepted"
	Findings     []finding.Finding    `json:"findings"`
	LeftOut      int                  `json:"windows_left_out"`     // invalid ones
	Thresholds   []Threshold          `json:"thresholds,omitempty"` // of --fail
	ByRequest    []requestJSON        `json:"by_request,omitempty"` // of a mix of 2 to 32 kinds
	Phases       []stageJSON          `json:"phases,omitempty"`     // if there is more than one, or one has several stages
	Windows      []windowJSON         `json:"windows"`
}

// wholeJSON is how much was sent and what came back in all measured windows, also those
// that count in no figure.
type wholeJSON struct {
	Duration   float64           `json:"duration_s"`
	Sent       uint64            `json:"sent"`
	Requests   uint64            `json:"requests"` // that came to an end: as expected, or failed
	Failed     uint64            `json:"failed"`
	Shed       uint64            `json:"shed"`
	Unfinished uint64            `json:"unfinished"`
	Errors     measure.Errors    `json:"errors"`
	Statuses   map[int]uint64    `json:"statuses"`
	Codes      map[string]uint64 `json:"grpc_codes,omitempty"`
}

func wholeOf(w *measure.Window) wholeJSON {
	return wholeJSON{
		Duration: w.Length.Seconds(), Sent: w.Sent, Requests: w.Ended(), Failed: w.Errors.Total(), Shed: w.Shed, Unfinished: w.Unfinished,
		Errors: w.Errors, Statuses: measure.AddStatuses(map[int]uint64{}, w.Statuses), Codes: w.Codes,
	}
}

// latency maps "mean", "p50" … "max" to µs; to null what is not known, as no
// request was timed or too few for such a percentile.
type latency map[string]*float64

type windowJSON struct {
	Second     int               `json:"second"`          // negative while warming up
	Phase      int               `json:"phase,omitempty"` // in which it begins, from 1; only if there are phases
	Length     float64           `json:"length_s"`
	Offered    uint64            `json:"offered"`
	Sent       uint64            `json:"sent"`
	Requests   uint64            `json:"requests"`
	Errors     measure.Errors    `json:"errors"`
	Messages   measure.Messages  `json:"messages,omitzero"`
	Statuses   map[int]uint64    `json:"statuses,omitempty"`
	Codes      map[string]uint64 `json:"grpc_codes,omitempty"`
	Shed       uint64            `json:"shed"`
	Throughput *float64          `json:"throughput"`
	Response   latency           `json:"response_us,omitempty"`
	Lag        latency           `json:"lag_us,omitempty"`
	// The figures of response and lag that are only lower bounds.
	ResponseAtLeast []string          `json:"response_at_least,omitempty"`
	LagAtLeast      []string          `json:"lag_at_least,omitempty"`
	InFlight        float64           `json:"in_flight"`
	CPUs            *float64          `json:"generator_cpus"`
	StallMS         float64           `json:"stall_ms"`
	Validity        string            `json:"validity"` // or "accepted"
	Findings        []finding.Finding `json:"findings,omitempty"`
}

// JSON writes the load as one object.
func JSON(w io.Writer, l *Load) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(objectOf(l))
}

// objectOf is the load as one object.
func objectOf(l *Load) loadJSON {
	r, s := l.Result, l.Spec
	t, _ := r.Shown()
	out := loadJSON{
		Target: s.Target, Engine: r.Engine, Mode: s.Profile.Mode, Connections: s.Profile.Connections, Rate: s.Profile.Rate,
		Protocol: s.Link.Protocol(), HTTP2: s.Link.Protocol() == request.HTTP2, Streams: s.Link.Streams, Resubmitted: t.Resubmitted,
		Seed: s.Seed, Interrupted: r.Interrupted,
		Requests: t.Completed, Duration: t.Length.Seconds(), Throughput: figureIf(r.Total.Length > 0, r.Throughput()),
		Offered: t.Offered, Sent: t.Sent, Shed: t.Shed, SentLate: t.SentLate, Drained: t.Drained, Drain: r.Drain.Seconds(), Unfinished: t.Unfinished, Failed: t.Failures(), Carried: t.Carried, Unsent: t.Unsent, CutOff: t.CutOff, BytesIn: t.BytesIn, BytesOut: t.BytesOut,
		Errors: t.Errors, Statuses: measure.AddStatuses(map[int]uint64{}, t.Statuses), Codes: t.Codes, Location: r.Location, ByRequest: requestsOf(r), FirstErrors: r.FirstErrors, Failures: failuresOf(r), Latency: make(map[string]latency),
		Censored:     figureIf(r.Total.Timed(measure.Response)+r.Total.GivenUp(measure.Response) > 0, r.Total.Censored()),
		GeneratorCPU: figureIf(r.Total.Completed > 0 && r.Total.Worked() > 0, present.Micros(r.CPUPerRequest())), Validity: r.Level(), All: wholeOf(&r.All), Findings: orEmpty(r.Findings), Phases: stagesOf(r.Stages()), Windows: []windowJSON{},
		Thresholds: l.Thresholds, AtLeast: make(map[string][]string), AmongFailed: make(map[string][]string),
	}
	out.Calibration, out.Counts, out.Causes, out.Idle = r.Calibration, r.Counts, r.Causes, r.Idle
	if unit := s.Unit(); unit != "requests" {
		out.Unit, out.Messages = unit, &t.Messages
	} else if t.Messages.Out+t.Messages.In > 0 { // over gRPC
		out.Messages = &t.Messages
	}
	out.LeftOut, _, _ = r.LeftOut()
	for clock := range measure.NumClocks {
		name, figures := clock.String(), Figures(&r.Total, clock)
		var bounds []string
		out.Latency[name], bounds = latencyFrom(figures)
		if bounds != nil {
			out.AtLeast[name] = bounds
		}
		if failed := amongFailed(figures); failed != nil {
			out.AmongFailed[name] = failed
		}
	}
	for i := range r.Windows {
		w := &r.Windows[i]
		figures := SecondOf(w)
		if i < len(l.Seconds) {
			figures = l.Seconds[i]
		}
		out.Windows = append(out.Windows, windowOf(w, figures))
	}
	inPhases(out.Windows, s)
	return out
}

func windowOf(w *measure.Window, figures SecondFigures) windowJSON {
	seconds := w.Length.Seconds()
	out := windowJSON{
		Second: w.Index, Length: seconds, Offered: w.Offered, Sent: w.Sent, Requests: w.Completed, Errors: w.Errors, Statuses: w.Statuses, Codes: w.Codes, Shed: w.Shed,
		Messages: w.Messages, InFlight: w.InFlight, StallMS: present.Micros(w.Stall) / 1e3, Validity: finding.Level(w.Validity(), w.Findings), Findings: w.Findings,
	}
	out.Response, out.ResponseAtLeast = latencyFrom(figures.response)
	out.Lag, out.LagAtLeast = latencyFrom(figures.lag)
	out.Throughput = figureIf(seconds > 0, float64(w.Completed)/seconds)
	out.CPUs = figureIf(seconds > 0, (w.CPUUser+w.CPUSys).Seconds()/seconds)
	return out
}

// figureIf is x as a figure that exists only if known.
func figureIf(known bool, x float64) *float64 {
	if !known {
		return nil
	}
	return &x
}

// latencyOf gives the figures of a clock, and the names of those that are only
// lower bounds. All are nil if nothing was timed.
func latencyOf(w *measure.Window, clock measure.Clock) (l latency, bounds []string) {
	return latencyFrom(Figures(w, clock))
}

func latencyFrom(figures []Figure) (l latency, bounds []string) {
	l = make(latency)
	for i, name := range FigureNames() {
		if l[name] = nil; figures == nil || figures[i].Absent || figures[i].Failed {
			continue
		}
		l[name] = figureIf(true, figures[i].NS/1e3)
		if !figures[i].Known {
			bounds = append(bounds, name)
		}
	}
	return l, bounds
}

// amongFailed are the names of the figures that are among the requests that failed.
func amongFailed(figures []Figure) (names []string) {
	for _, f := range figures {
		if f.Failed {
			names = append(names, f.Name)
		}
	}
	return names
}

// SecondFigures are what the object says of a window's clocks. They are taken
// when the window ends, so that its histograms, a hundred times as large, need
// not be kept for hours.
type SecondFigures struct{ response, lag []Figure }

// SecondOf takes the figures of a window.
func SecondOf(w *measure.Window) SecondFigures {
	return SecondFigures{Figures(w, measure.Response), Figures(w, measure.Lag)}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
