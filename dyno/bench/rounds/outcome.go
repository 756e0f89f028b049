//go:build linux

package rounds

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Outcome is what a load generator says of its run.
type Outcome struct {
	Requests float64 `json:"requests"`
	Errors   float64 `json:"errors"`
	CPU      float64 `json:"cpu_us"`  // of the server, if the generator took it
	Seconds  float64 `json:"seconds"` // for which it did
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
	P999     float64 `json:"p99.9_us"`

	// What dyno alone says.
	Validity   string  `json:"-"`
	Throughput float64 `json:"-"` // requests/s while the load was measured
	Sent       float64 `json:"-"` // all that the server got: Requests are those of the seconds that count
	Unserved   float64 `json:"-"` // due and never sent, or without a response at the end
}

// figures takes an outcome as figures, with what a request cost the server.
func (o *Outcome) figures(f map[string]float64, used, took time.Duration) {
	f["requests"], f["errors"] = o.Requests, o.Errors
	for name, v := range map[string]float64{"p50_us": o.P50, "p99_us": o.P99, TailFigure: o.P999} {
		if v > 0 {
			f[name] = v
		}
	}
	seconds, cpu, sent := took.Seconds(), used.Seconds()*1e6, o.Requests
	if o.Seconds > 0 {
		seconds, cpu = o.Seconds, o.CPU
	}
	if f["requests_per_s"] = o.Requests / seconds; o.Validity != "" {
		f["requests_per_s"], sent = o.Throughput, o.Sent
	}
	f["server_cpus"] = cpu / 1e6 / seconds
	if sent > 0 {
		f[CPUFigure] = cpu / sent
	}
}

// Check refuses loads that say nothing about the server.
func (o *Outcome) Check() error {
	switch {
	case o.Requests <= 0:
		return errors.New("no request got a response")
	case o.Errors > o.Requests/1000:
		return fmt.Errorf("%.0f errors in %.0f requests", o.Errors, o.Requests)
	}
	return nil
}

// ParseLine reads the line of JSON that report.lua prints behind what wrk prints for people,
// as other generators do. Responses that aren't right spoil the trial.
func ParseLine(text string) (o Outcome, err error) {
	at := strings.LastIndex(text, `{"requests"`)
	if at < 0 {
		return o, fmt.Errorf("the generator reported nothing: %s", Tail(text))
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&o); err != nil {
		return o, fmt.Errorf("reading the generator's report: %w", err)
	}
	return o, o.Check()
}

// said is what dyno's JSON has of that.
type said struct {
	Validity   string             `json:"validity"`
	Throughput float64            `json:"throughput"`
	Requests   float64            `json:"requests"`
	Shed       float64            `json:"shed"`
	Unfinished float64            `json:"unfinished"`
	Errors     map[string]float64 `json:"errors"`
	Latency    struct {
		Response map[string]*float64 `json:"response"`
	} `json:"latency_us"`
	Windows []struct {
		Sent float64 `json:"sent"`
	} `json:"windows"`
}

// ParseDyno reads dyno's own report. A load that dyno calls invalid says nothing.
func ParseDyno(text string) (o Outcome, err error) {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return o, fmt.Errorf("dyno reported nothing: %s", Tail(text))
	}
	var d said
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&d); err != nil {
		return o, fmt.Errorf("reading dyno's report: %w", err)
	}
	o = Outcome{Validity: d.Validity, Requests: d.Requests, Throughput: d.Throughput, Unserved: d.Shed + d.Unfinished}
	if d.Validity == "invalid" {
		return o, errors.New("dyno says that its measurement is invalid")
	}
	for _, w := range d.Windows {
		o.Sent += w.Sent
	}
	for _, n := range d.Errors {
		o.Errors += n
	}
	for name, to := range map[string]*float64{"p50": &o.P50, "p99": &o.P99, "p99.9": &o.P999} {
		if v := d.Latency.Response[name]; v != nil { // there is none of a few responses
			*to = *v
		}
	}
	return o, o.Check()
}

// ParseDynoWhole also takes for errors what dyno shed and what had no response at the end.
func ParseDynoWhole(text string) (Outcome, error) {
	o, err := ParseDyno(text)
	if err != nil {
		return o, err
	}
	o.Errors += o.Unserved
	return o, o.Check()
}

// Wrk is wrk in a closed loop over HTTP/1.1, with what it says read by [ParseLine].
func Wrk(connections int, url string, more ...string) func(seconds int) []string {
	return func(seconds int) []string {
		args := []string{"wrk", "-t1", "-c", fmt.Sprint(connections), "-d", fmt.Sprint(seconds, "s"), "-s", "nano/bench/testdata/report.lua"}
		return append(append(args, more...), url)
	}
}
