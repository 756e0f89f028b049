package load_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"sync"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/objective"
)

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

// A closed loop, with a threshold that a test could fail by. What can't be
// decided, as on a machine that stood still, is neither met nor missed.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(hello))
	defer server.Close()

	r, err := load.Run(context.Background(), load.Spec{
		Target:      server.URL,
		Requests:    []request.Request{{Path: "/"}},
		Profile:     profile.Profile{Mode: profile.Closed, Connections: 4},
		MaxRequests: 200,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	limit, err := objective.Parse("p99 < 5s, errors < 1%")
	if err != nil {
		fmt.Println(err)
		return
	}
	if outcome := limit.JudgeResult(r); outcome.Decision() == objective.Fails {
		fmt.Println("too slow:", outcome.Text)
	}
	fmt.Println("failed:", r.Total.Errors.Total())
	// Output: failed: 0
}

// An open loop offers what its schedule says, however fast the responses come.
func Example_openLoop() {
	server := httptest.NewServer(http.HandlerFunc(hello))
	defer server.Close()

	r, err := load.Run(context.Background(), load.Spec{
		Target:   server.URL,
		Requests: []request.Request{{Path: "/"}},
		Profile:  profile.Profile{Mode: profile.Open, Connections: 10, Rate: 200, Arrivals: profile.Uniform},
		Duration: time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	offered := uint64(0)
	for _, w := range r.Windows {
		offered += w.Offered
	}
	fmt.Println("offered:", offered)
	if p99, known := r.Total.Quantile(measure.Response, 99); known && p99 > int64(5*time.Second) {
		fmt.Println("the responses took", time.Duration(p99))
	}
	// Output: offered: 200
}

// A rate that changes is written as phases. The results of each are separate.
func Example_phases() {
	server := httptest.NewServer(http.HandlerFunc(hello))
	defer server.Close()

	steps := profile.Profile{Mode: profile.Open, Connections: 10, Arrivals: profile.Uniform}
	for _, text := range []string{"constant 50 1s", "ramp 50..150 1s"} {
		phase, err := profile.ParsePhase(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		steps.Phases = append(steps.Phases, phase)
	}
	r, err := load.Run(context.Background(), load.Spec{
		Target: server.URL, Requests: []request.Request{{Path: "/"}}, Profile: steps,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, stage := range r.Stages() {
		fmt.Println(stage.Name, "plans", stage.Stage.Planned, "requests")
	}
	// Output:
	// constant 50 plans 50 requests
	// ramp 50..150 plans 100 requests
}

// A mix is drawn by weight and seed: the same seed sends the same requests.
// Responses are held to what is expected of them.
func Example_mix() {
	var mu sync.Mutex
	seen := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[path.Dir(r.URL.Path)]++
		fmt.Fprintf(w, `{"id": %q}`, path.Base(r.URL.Path))
	}))
	defer server.Close()

	r, err := load.Run(context.Background(), load.Spec{
		Target: server.URL,
		Requests: []request.Request{
			{Name: "user", Path: "/users/{{int 1 1000}}", Weight: 9, Expect: []string{"status 200", "json $.id exists"}},
			{Name: "order", Method: "POST", Path: "/orders/{{seq}}", Body: `{"id": "{{uuid}}"}`, Expect: []string{"body contains id"}},
		},
		Profile:     profile.Profile{Mode: profile.Closed, Connections: 1},
		Seed:        7,
		MaxRequests: 100,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Close()
	fmt.Println("unexpected:", r.Total.Errors.Wrong())
	for _, dir := range slices.Sorted(maps.Keys(seen)) {
		fmt.Println(dir, seen[dir])
	}
	// Output:
	// unexpected: 0
	// /orders 13
	// /users 87
}

// Over TLS the server's certificate is verified as any client does. This one is
// made up by httptest, so it is accepted as it is; a test of the certificate
// would name it as CAFile.
func Example_tls() {
	versions := make(chan uint16, 10)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { versions <- r.TLS.Version }))
	defer server.Close()

	r, err := load.Run(context.Background(), load.Spec{
		Target:      server.URL,
		Requests:    []request.Request{{Path: "/"}},
		Profile:     profile.Profile{Mode: profile.Closed, Connections: 2},
		MaxRequests: 10,
		TLS:         request.TLS{Insecure: true, MinVersion: "1.3"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("TLS %#x, failed: %d\n", <-versions, r.Total.Errors.Total())
	// Output: TLS 0x304, failed: 0
}
