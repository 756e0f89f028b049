package capacity_test

import (
	"context"
	"fmt"
	"time"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/objective"
	"dyno.example/internal/i18n"
)

// thousand is a service that takes exactly 1000 requests a second.
type thousand struct{}

func (thousand) Ceiling(context.Context) (capacity.Ceiling, error) {
	return capacity.Ceiling{Rate: 1000}, nil
}

func (thousand) Trial(_ context.Context, ask capacity.Ask) (capacity.Trial, error) {
	t := capacity.Trial{Length: ask.Length, Decision: capacity.Holds}
	if ask.Rate > 1000 {
		t.Decision = capacity.Fails
		t.Terms = []capacity.Term{{Condition: "p99 < 50ms", Decision: "fails", Measured: i18n.Verbatim("p99 = 80ms")}}
	}
	return t, nil
}

func (thousand) Settle(context.Context) (time.Duration, error) { return 0, nil }

func ExampleSearch() {
	search := &capacity.Search{Goal: capacity.DefaultGoal(), Service: thousand{}}
	r, err := search.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("holds at %.0f/s in %d long trials\n", r.Holds.Rate, r.Holds.Count(capacity.Holds, search.Goal.Trial))
	fmt.Printf("fails at %.0f/s: %s\n", r.Fails.Rate, r.Broke[0].Condition)
	// Output:
	// holds at 986/s in 2 long trials
	// fails at 1032/s: p99 < 50ms
}

// A search over a network.
func ExampleGenerator() {
	goal, _ := objective.Parse("p99 < 50ms, errors < 0.1%")
	search := &capacity.Search{Goal: capacity.DefaultGoal(), Service: &capacity.Generator{
		Objective: goal,
		Spec: load.Spec{
			Target: "http://127.0.0.1:8080", Requests: []request.Request{{Name: "root", Method: "GET", Path: "/"}},
			Profile: profile.Profile{Connections: 100, Arrivals: profile.Poisson}, Seed: 1, Warmup: 500 * time.Millisecond,
		},
	}}
	r, err := search.Run(context.Background())
	if err == nil && r.Found() {
		fmt.Println(r.Holds.Rate, r.Fails.Rate)
	}
}

func ExampleSweep() {
	sweep := &capacity.Sweep{
		Levels: []int{1, 2, 4, 8, 16, 32, 64, 128},
		// A service that one lock and the keeping in step of its threads hold back.
		Measure: func(_ context.Context, n int) (capacity.LevelTrial, error) {
			x := float64(n)
			return capacity.LevelTrial{Throughput: 500 * x / (1 + 0.05*(x-1) + 0.001*x*(x-1))}, nil
		},
	}
	k, err := sweep.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d connections are enough; throughput falls beyond %.0f\n", k.Enough, k.Fit.Peak.Estimate)
	// Output: 32 connections are enough; throughput falls beyond 31
}
