package export

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// started is when the fixture's measured time began.
var started = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// fixture is a load of a warm-up window, a good one, one in which a tenth timed
// out, and an invalid one.
func fixture() *Load {
	spec := &load.Spec{
		Target: "http://user:s3cr3t@127.0.0.1:8080/ignored", Seed: 7, Warmup: time.Second, Duration: 3 * time.Second,
		Requests: []request.Request{{Method: "GET", Path: "/a%20b/json?token=s3cr3t"}},
		Profile:  profile.Profile{Mode: profile.Open, Connections: 4, Rate: 100.5, Arrivals: profile.Poisson},
	}
	r := &load.Result{Start: 5_000_000_000, Validity: finding.Suspect}
	for i := -1; i < 3; i++ {
		r.Windows = append(r.Windows, window(i))
	}
	for i := range 2 { // so that they have a p99
		r.Windows[i].Drained = 10
		r.Windows[i].Hist[measure.Response].RecordValues(90e6, 10)
	}
	r.Windows[2].Errors.Timeout = 10
	r.Windows[2].Findings = []finding.Finding{{Name: finding.Steal, Validity: finding.Suspect}, {Name: finding.Shed, Validity: finding.Suspect}}
	r.Windows[3].Findings = []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}}
	for i := range r.Windows[1:3] {
		r.Total.AddCounts(&r.Windows[1+i])
	}
	r.Total.Length = 2 * time.Second
	r.Total.Hist[measure.Response] = measure.NewHistogram()
	for i := range r.Windows[1:3] {
		r.Total.Hist[measure.Response].Merge(r.Windows[1+i].Hist[measure.Response])
	}
	return &Load{Spec: spec, Result: r, Started: started}
}

// window has the response times 1 ms to 90 ms.
func window(index int) measure.Window {
	w := measure.Window{
		Index: index, Start: 5_000_000_000 + int64(index)*1e9, Length: time.Second,
		Offered: 100, Sent: 100, Completed: 90, BytesIn: 900, BytesOut: 90, InFlight: 1.5, CPUUser: 3 * time.Millisecond, Spun: time.Millisecond,
	}
	w.Statuses = map[int]uint64{200: 89, 204: 1}
	w.Hist[measure.Response] = measure.NewHistogram()
	for i := 1; i <= 90; i++ {
		w.Hist[measure.Response].RecordValue(int64(i) * 1e6)
	}
	return w
}
