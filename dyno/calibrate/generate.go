package calibrate

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// generatorOrder is what a generator in a child is to do.
type generatorOrder struct {
	Target      string        `json:"target"`
	Engine      string        `json:"engine"`
	CPUs        []int         `json:"cpus"`
	Connections int           `json:"connections"`
	Streams     int           `json:"streams"` // on each, over HTTP/2; 0: HTTP/1.1
	Rate        float64       `json:"rate"`
	Duration    time.Duration `json:"duration"`
}

// generatorResult is what it comes to.
type generatorResult struct {
	Windows   []windowResult `json:"windows"`
	Completed uint64         `json:"completed"` // in the total
}

type windowResult struct {
	Completed uint64            `json:"completed"`
	Validity  finding.Validity  `json:"validity"`
	Findings  []finding.Finding `json:"findings"`
}

// generate loads a target. It prints the start of the measured time and, when it
// is over, the result.
func generate(o generatorOrder) error {
	out := json.NewEncoder(os.Stdout)
	r, err := load.Run(context.Background(), load.Spec{
		Target: o.Target, Engine: o.Engine, CPUs: o.CPUs, Duration: o.Duration, Seed: 1, Timeout: 5 * time.Second,
		Profile:  profile.Profile{Mode: profile.Open, Connections: o.Connections, Rate: o.Rate},
		Requests: []request.Request{{Name: "null", Method: "GET", Path: "/"}},
		Link:     request.Link{Streams: o.Streams},
		OnStart:  func(measured int64) { out.Encode(measured) },
	})
	if err != nil {
		return err
	}
	result := generatorResult{Completed: r.Total.Completed}
	for i := range r.Windows {
		w := &r.Windows[i]
		result.Windows = append(result.Windows, windowResult{w.Completed, w.Validity(), w.Findings})
	}
	return out.Encode(result)
}
