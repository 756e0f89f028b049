//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// Overload: a service whose capacity is given, behind each gateway, is asked for three
// times what it can do. The load is small for the machine, so that what is measured is
// whom a gateway turns away, not how fast it is.
const (
	serviceWorkers  = 10
	serviceTakes    = 20 * time.Millisecond
	serviceCapacity = float64(serviceWorkers) / 0.020 // requests a second
	objective       = 100 * time.Millisecond          // for a response
	calmTime        = 5 * time.Second                 // before and after, at half of the capacity
)

func overloadCampaign() campaign {
	return campaign{
		name: "overload", seconds: 15, gateways: overloadGateways, load: (*lab).overload,
		question: fmt.Sprintf("A service of %d requests at once, %v each (%.0f a second), is asked for three times as many through each gateway: how many get a response within twice the objective of %v, how long do those wait that are admitted, and how soon is all well when the load has gone?",
			serviceWorkers, serviceTakes, serviceCapacity, objective),
		columns: []rounds.Column{
			rounds.Shown("goodput_share", "in time ÷ capacity", 3), rounds.Shown("p50_us", "p50 of 2xx, µs", 3), rounds.Shown("p99_us", "p99 of 2xx, µs", 3),
			rounds.Shown("refused_share", "refused", 3), rounds.Shown("failed_share", "neither", 3), rounds.Shown("recovery_ms", "until well, ms", 3),
		},
	}
}

var overloadGateways = []gateway{
	{name: nanogate + ", shed", command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--loops", "1", "-c", l.write("shed.yaml", fmt.Sprintf(overloadFile, address, l.service.Address, "shed: {objective: 100ms}"))}
	}},
	{name: nanogate + ", nothing", command: func(l *lab, address string) []string {
		return []string{l.nanogate, "run", "--loops", "1", "-c", l.write("nothing.yaml", fmt.Sprintf(overloadFile, address, l.service.Address, "connect: 2s"))}
	}},
	{haproxy, []string{"haproxy", "-v"}, func(l *lab, address string) []string {
		return []string{"haproxy", "-db", "-f", l.write("queue.cfg", fmt.Sprintf(queueFile, address, l.service.Address, serviceWorkers))}
	}, "apt-get install haproxy"},
}

const overloadFile = `listen: %s
routes: [{match: {path: "/*"}, to: service}]
upstreams: {service: {endpoints: ["%s"], %s}}
`

// queueFile is how HAProxy is told of a service's capacity: it doesn't find it out.
const queueFile = `global
    nbthread 1
    maxconn 8192
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout queue 80ms
frontend in
    bind %s
    default_backend out
backend out
    server one %s maxconn %d
`

// service is this program as the upstream of that capacity.
func service(address string) error {
	room := make(chan struct{}, serviceWorkers)
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		room <- struct{}{}
		time.Sleep(serviceTakes)
		<-room
		_, _ = w.Write([]byte("Hello, World!")) // who has gone doesn't want it
	}))
}

// reply is how a request of the load ended.
type reply struct {
	at     time.Duration // when it was due, since the load began
	took   time.Duration // since then
	status int           // 0: no response
}

// overload puts the load on a gateway: calm, three times the capacity, calm again.
func (l *lab) overload(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	high := time.Duration(l.Options.Length(c.seconds)) * time.Second
	t.Command = []string{"open loop", strconv.FormatFloat(3*serviceCapacity, 'f', 0, 64) + "/s", high.String()}
	phase := func(at time.Duration) float64 {
		if at < calmTime || at >= calmTime+high {
			return serviceCapacity / 2
		}
		return 3 * serviceCapacity
	}
	var replies []reply
	if _, err := l.Watched(t, func() (time.Duration, error) {
		replies = offer(ctx, "http://"+s.Address+"/", phase, calmTime+high+calmTime, l.Options.Seed)
		return 0, ctx.Err()
	}, s); err != nil {
		return err
	}
	t.Figures = figures(replies, calmTime, calmTime+high)
	return l.renewService(ctx)
}

// offer sends requests when they are due (Poisson), whatever came of those before.
func offer(ctx context.Context, url string, rate func(at time.Duration) float64, d time.Duration, seed uint64) (all []reply) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}
	defer client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	var under sync.WaitGroup
	began := time.Now()
	for at := time.Duration(0); at < d && ctx.Err() == nil; at += time.Duration(random.ExpFloat64() / rate(at) * 1e9) {
		time.Sleep(at - time.Since(began))
		under.Go(func() {
			r := reply{at: at}
			if resp, err := client.Get(url); err == nil {
				resp.Body.Close()
				r.status = resp.StatusCode
			}
			r.took = time.Since(began) - at
			mu.Lock()
			defer mu.Unlock()
			all = append(all, r)
		})
	}
	under.Wait()
	return all
}

// figures sums up what came of the requests that were due between two moments, and how
// soon after the second all were well.
func figures(all []reply, from, to time.Duration) map[string]float64 {
	var took []time.Duration
	good, refused, failed, asked := 0.0, 0.0, 0.0, 0.0
	well := to
	for _, r := range all {
		fine := r.status == 200 && r.took <= 2*objective
		if r.at >= to && !fine && r.at > well {
			well = r.at
		}
		if r.at < from || r.at >= to {
			continue
		}
		asked++
		switch {
		case r.status == 200:
			took = append(took, r.took)
		case r.status == 503 || r.status == 429:
			refused++
		default:
			failed++
		}
		if fine {
			good++
		}
	}
	slices.Sort(took)
	f := map[string]float64{
		"requests": asked, "goodput_share": good / (to - from).Seconds() / serviceCapacity,
		"refused_share": refused / max(1, asked), "failed_share": failed / max(1, asked), "recovery_ms": float64(well-to) / 1e6,
	}
	if n := len(took); n > 0 {
		f["p50_us"], f["p99_us"] = float64(took[n/2])/1e3, float64(took[n*99/100])/1e3
	}
	return f
}
