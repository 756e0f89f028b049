//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// object reads a tool's JSON, which may stand behind other lines.
func object(text string, into any) error {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return fmt.Errorf("no JSON")
	}
	return json.NewDecoder(strings.NewReader(text[at:])).Decode(into)
}

// scaled returns the known quantiles among values, each times unit (µs).
func scaled(values map[string]float64, unit float64) map[string]float64 {
	named := make(map[string]float64)
	for name, v := range values {
		name = strings.ReplaceAll(strings.NewReplacer("(", "", ")", "").Replace(name), "_", ".")
		known := name == "max"
		for _, q := range quantiles {
			known = known || name == q.name
		}
		if known {
			named[name] = v * unit
		}
	}
	return named
}

func parseDyno(text string) (outcome, error) {
	var d struct {
		Requests   float64                       `json:"requests"`
		Shed       float64                       `json:"shed"`
		Unfinished float64                       `json:"unfinished"`
		Errors     map[string]float64            `json:"errors"`
		Latency    map[string]map[string]float64 `json:"latency_us"`
		Validity   string                        `json:"validity"`
		Findings   []struct{ Name string }       `json:"findings"`
		Windows    []struct {
			Second   int
			Validity string
			Findings []struct{ Name string }
		} `json:"windows"`
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	o := outcome{Requests: d.Requests, Errors: d.Shed + d.Unfinished, Latency: d.Latency["response"], Lag: d.Latency["lag"], Says: []string{d.Validity}}
	if d.Requests == 0 { // no valid window: its zeros are no times
		o.Latency, o.Lag = nil, nil
	}
	for _, n := range d.Errors {
		o.Errors += n
	}
	for _, f := range d.Findings {
		o.Says = append(o.Says, f.Name)
	}
	for _, w := range d.Windows {
		one := rounds.Window{Second: w.Second, Validity: w.Validity}
		for _, f := range w.Findings {
			one.Findings = append(one.Findings, f.Name)
		}
		o.Windows = append(o.Windows, one)
	}
	return o, nil
}

func parseOha(text string) (outcome, error) {
	var d struct {
		Latency  map[string]float64 `json:"latencyPercentiles"`
		Statuses map[string]float64 `json:"statusCodeDistribution"`
		Errors   map[string]float64 `json:"errorDistribution"`
		Summary  struct{ Slowest float64 }
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	o := outcome{Latency: scaled(d.Latency, 1e6)}
	o.Latency["max"] = d.Summary.Slowest * 1e6
	for _, n := range d.Statuses {
		o.Requests += n
	}
	for what, n := range d.Errors {
		if what != "aborted due to deadline" { // under way when time was up
			o.Errors += n
		}
	}
	return o, nil
}

func parseK6(text string) (outcome, error) {
	var d struct {
		Metrics map[string]map[string]any `json:"metrics"`
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	figure := func(metric, name string) float64 { n, _ := d.Metrics[metric][name].(float64); return n }
	durations := make(map[string]float64)
	for name := range d.Metrics["http_req_duration"] {
		durations[name] = figure("http_req_duration", name)
	}
	o := outcome{Requests: figure("http_reqs", "count"), Latency: scaled(durations, 1e3)}
	if dropped := figure("dropped_iterations", "count"); dropped > 0 {
		o.Errors = dropped
		o.Says = []string{fmt.Sprintf("%.0f dropped", dropped)}
	}
	return o, nil
}

func parseBombardier(text string) (outcome, error) {
	var d struct {
		Result struct {
			OK      float64 `json:"req2xx"`
			Others  float64 `json:"others"`
			Latency struct {
				Max         float64            `json:"max"`
				Percentiles map[string]float64 `json:"percentiles"`
			} `json:"latency"`
		} `json:"result"`
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	o := outcome{Requests: d.Result.OK, Errors: d.Result.Others, Latency: map[string]float64{"max": d.Result.Latency.Max}}
	for percent, v := range d.Result.Latency.Percentiles {
		o.Latency[percentileName(percent)] = v
	}
	return o, nil
}

func parseFortio(text string) (outcome, error) {
	var d struct {
		DurationHistogram struct {
			Max         float64
			Percentiles []struct{ Percentile, Value float64 }
		}
		RetCodes map[string]float64
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	o := outcome{Latency: map[string]float64{"max": d.DurationHistogram.Max * 1e6}}
	for _, p := range d.DurationHistogram.Percentiles {
		o.Latency[percentileName(fmt.Sprint(p.Percentile))] = p.Value * 1e6
	}
	for code, n := range d.RetCodes {
		if strings.HasPrefix(code, "2") {
			o.Requests += n
		} else {
			o.Errors += n
		}
	}
	if strings.Contains(text, "falling behind") {
		o.Says = append(o.Says, "falling behind")
	}
	return o, nil
}

func parseZrk(text string) (outcome, error) {
	var d struct {
		Requests float64            `json:"requests"`
		Lag      float64            `json:"max_schedule_lag_us"`
		Latency  map[string]float64 `json:"latency_us"`
		Errors   map[string]float64 `json:"errors"`
	}
	if err := object(text, &d); err != nil {
		return outcome{}, err
	}
	o := outcome{Requests: d.Requests, Latency: scaled(d.Latency, 1), Lag: map[string]float64{"max": d.Lag}}
	for _, n := range d.Errors {
		o.Errors += n
	}
	return o, nil
}

// parseSpin reads what this program's bare spinning thread prints.
func parseSpin(text string) (outcome, error) {
	var o outcome
	if err := object(text, &o); err != nil {
		return outcome{}, err
	}
	return o, nil
}
