package export

import (
	"bytes"
	"encoding/json"
	"testing"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// A program that reads the object of a load without a valid window finds how much was sent
// and what came back, and no figure to take for a measurement.
func TestJSONOfNoValidWindow(t *testing.T) {
	l := fixture()
	r := l.Result
	r.All, r.Total, r.Validity = r.Total, measure.Window{}, finding.Invalid
	var out bytes.Buffer
	if err := JSON(&out, l); err != nil {
		t.Fatal(err)
	}
	var got struct {
		All struct {
			Sent, Requests, Failed uint64
			Statuses               map[int]uint64
		}
		Sent       uint64
		Statuses   map[int]uint64
		Errors     measure.Errors
		Throughput *float64
		Latency    map[string]map[string]*float64 `json:"latency_us"`
		Validity   string
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Sent != 200 || got.All.Sent != 200 || got.All.Requests != 200 || got.All.Failed != 10 || got.Errors.Timeout != 10 || got.Statuses[200] != 178 || got.All.Statuses[204] != 2 {
		t.Errorf("%+v", got)
	}
	if got.Throughput != nil || got.Latency["response"]["p50"] != nil || got.Validity != "invalid" {
		t.Errorf("throughput %v, times %v, %s", got.Throughput, got.Latency["response"], got.Validity)
	}
	// What is valid only because somebody accepted a finding says so.
	r.Total, r.Validity, r.Findings = r.All, finding.Valid, []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Accepted: true}}
	out.Reset()
	if err := JSON(&out, l); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Validity != "accepted" || got.Throughput == nil {
		t.Errorf("%v: %s, throughput %v", err, got.Validity, got.Throughput)
	}
}
