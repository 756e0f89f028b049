package main

import (
	"encoding/json"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno/lab/load"
)

// loadJSON is what dyno load --json prints. Fields are added over time, never
// renamed.
type loadJSON struct {
	Target       string             `json:"target"`
	Engine       string             `json:"engine"`
	Mode         load.Mode          `json:"mode"`
	Connections  int                `json:"connections"`
	Rate         float64            `json:"rate,omitempty"`
	Seed         uint64             `json:"seed"`
	Interrupted  bool               `json:"interrupted"`
	Requests     uint64             `json:"requests"` // answered as expected
	Duration     float64            `json:"duration_s"`
	Throughput   float64            `json:"throughput"`
	Offered      uint64             `json:"offered"`
	Sent         uint64             `json:"sent"`
	Shed         uint64             `json:"shed"`
	Unfinished   uint64             `json:"unfinished"`
	BytesIn      uint64             `json:"bytes_in"`
	BytesOut     uint64             `json:"bytes_out"`
	Errors       load.Errors        `json:"errors"`
	FirstErrors  map[string]string  `json:"first_errors"`
	Latency      map[string]latency `json:"latency_us"`
	Censored     float64            `json:"censored"` // share of requests whose response time is only known to be longer
	GeneratorCPU float64            `json:"generator_cpu_us_per_request"`
	Validity     load.Validity      `json:"validity"`
	Findings     []load.Finding     `json:"findings"`
	Phases       []stageJSON        `json:"phases,omitempty"` // if there is more than one, or one has several stages
	Windows      []windowJSON       `json:"windows"`
}

// latency maps "mean", "p50" … "max" to µs.
type latency map[string]float64

type windowJSON struct {
	Second     int            `json:"second"`          // negative while warming up
	Phase      int            `json:"phase,omitempty"` // in which it begins, from 1; only if there are phases
	Length     float64        `json:"length_s"`
	Offered    uint64         `json:"offered"`
	Sent       uint64         `json:"sent"`
	Requests   uint64         `json:"requests"`
	Errors     load.Errors    `json:"errors"`
	Shed       uint64         `json:"shed"`
	Throughput float64        `json:"throughput"`
	Response   latency        `json:"response_us,omitempty"` // absent in a soak, which doesn't keep them
	Lag        latency        `json:"lag_us,omitempty"`
	InFlight   float64        `json:"in_flight"`
	CPUs       float64        `json:"generator_cpus"`
	StallMS    float64        `json:"stall_ms"`
	Validity   load.Validity  `json:"validity"`
	Findings   []load.Finding `json:"findings,omitempty"`
}

func writeLoadJSON(w io.Writer, r *load.Result, s *load.Spec) error {
	t := &r.Total
	out := loadJSON{
		Target: s.Target, Engine: r.Engine, Mode: s.Profile.Mode, Connections: s.Profile.Connections, Rate: s.Profile.Rate,
		Seed: s.Seed, Interrupted: r.Interrupted,
		Requests: t.Completed, Duration: t.Length.Seconds(), Throughput: r.Throughput(),
		Offered: t.Offered, Sent: t.Sent, Shed: t.Shed, Unfinished: t.Unfinished, BytesIn: t.BytesIn, BytesOut: t.BytesOut,
		Errors: t.Errors, FirstErrors: r.FirstErrors, Latency: make(map[string]latency), Censored: t.Censored(),
		GeneratorCPU: micros(r.CPUPerRequest()), Validity: r.Validity, Findings: orEmpty(r.Findings), Phases: stagesOf(r.Stages()), Windows: []windowJSON{},
	}
	for clock := range load.NumClocks {
		out.Latency[clock.String()] = latencyOf(t.Hist[clock])
	}
	for i := range r.Windows {
		out.Windows = append(out.Windows, windowOf(&r.Windows[i]))
	}
	inPhases(out.Windows, s)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func windowOf(w *load.Window) windowJSON {
	seconds := w.Length.Seconds()
	out := windowJSON{
		Second: w.Index, Length: seconds, Offered: w.Offered, Sent: w.Sent, Requests: w.Completed, Errors: w.Errors, Shed: w.Shed,
		Response: latencyOf(w.Hist[load.Response]), Lag: latencyOf(w.Hist[load.Lag]), InFlight: w.InFlight,
		StallMS: micros(w.Stall) / 1e3, Validity: w.Validity(), Findings: w.Findings,
	}
	if seconds > 0 {
		out.Throughput = float64(w.Completed) / seconds
		out.CPUs = (w.CPUUser + w.CPUSys).Seconds() / seconds
	}
	return out
}

// latencyOf gives the figures of a histogram; all zero if it is empty.
func latencyOf(h *hdrhistogram.Histogram) latency {
	l := latency{"mean": 0, "max": 0}
	for _, p := range percentiles {
		l[p.name] = 0
	}
	if h == nil {
		return l
	}
	l["mean"], l["max"] = h.Mean()/1e3, float64(h.Max())/1e3
	for _, p := range percentiles {
		l[p.name] = float64(h.ValueAtPercentile(p.at)) / 1e3
	}
	return l
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
