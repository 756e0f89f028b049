//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"dyno.example/dyno/stats"
	"dyno.example/nano"
)

// What evidence of requests may cost at half of a service's capacity, as it is collected by
// default.
const costMost = 0.03

// costly is a service whose requests are looked at, in turns with times in which they aren't.
type costly struct {
	name string
	with string // what it stands on: see plain
	same bool   // the probes stay on: what is found then is chance
}

// costCases ask what evidence costs. They take root, and a machine that does nothing else.
func costCases() (cases []Case) {
	for _, x := range []costly{{"nothing-switched", "net/http", true}, {"net-http", "net/http", false}, {"nano", "nano", false}} {
		injected := "the probes are on in some slices of a load at half of the capacity, and off in others"
		if x.same {
			injected = "slices of a load at half of the capacity that don't differ"
		}
		cases = append(cases, Case{Name: "cost/" + x.name, Injected: injected, Examine: x.examine})
	}
	return cases
}

// plain is the program: truth plain net/http, or nano. It prints its URL and ends with its input.
func plain(args []string) error {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", ln.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if strings.Join(args, "") == "nano" {
		app := nano.New(nano.Config{})
		app.Get("/", func(c nano.Ctx) error { return c.Text(http.StatusOK, "ok") })
		return app.Serve(ln)
	}
	return http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
}

// plainly starts one on the last CPU.
func (l *lab) plainly(ctx context.Context, with string) (*sufferer, error) {
	program, err := l.withSymbols(ctx)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "plain", with)
	// It ends with its input, and not with the thread that starts it: loads end threads.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	s, err := started(cmd)
	if err != nil {
		return nil, err
	}
	if err := pinAll(s.pid(), lastCPU()); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// examine starts the service as often as the lab does, and says what the pairs of slices of all
// starts came to.
func (x costly) examine(ctx context.Context, l *lab, e *Examined) error {
	so := fmt.Sprintf("≤ %.0f %% more", 100*costMost)
	if x.same {
		so = "no difference"
	}
	if os.Geteuid() != 0 {
		e.silent("CPU time a request, p99", "only root may ask the kernel", so)
		return nil
	}
	var starts [][]slicePair
	var told []string
	for run := range l.each {
		pairs, about, err := x.start(ctx, l, uint64(run+1))
		if err != nil {
			return err
		}
		starts = append(starts, pairs)
		told = append(told, about)
	}
	for _, one := range costFigures {
		i, over := ratioOver(starts, one.of)
		said := fmt.Sprintf("×%.3f (95 %%: %.3f to %.3f, over %d %s)", i.Estimate, i.Low, i.High, i.N, over)
		if i.Level == 0 {
			said = fmt.Sprintf("too little: %d %s", i.N, over)
		}
		switch right, known := x.holds(i); {
		case one.most && known:
			e.say(one.name, right, said, so)
			e.heard(strings.Join(told, "\n"))
		default:
			e.silent(one.name, said, so)
		}
	}
	e.Notes = told
	return nil
}

// holds reports whether a ratio is what it has to be, if its interval tells.
func (x costly) holds(i stats.Interval) (right, known bool) {
	if i.Level == 0 || math.IsNaN(i.Estimate) {
		return false, false
	}
	if x.same {
		return i.Low <= 1 && i.High >= 1, true
	}
	return i.High <= 1+costMost, i.High <= 1+costMost || i.Low > 1+costMost
}
