//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dyno/gate/admin"
)

func newTop() *cobra.Command {
	var a adminFlags
	var every time.Duration
	var once bool
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show routes and endpoints of a running gateway, live",
		Long: `Shows what passes through a running gateway: requests a second by route and
endpoint, errors, response times. It asks the gateway's admin address.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 100*time.Millisecond {
				return usageError{fmt.Errorf("--every: expected at least 100ms, got %s", every)}
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			t := &top{client: client, out: cmd.OutOrStdout()}
			return t.run(cmd.Context(), every, once)
		},
	}
	flags := cmd.Flags()
	a.add(cmd)
	flags.DurationVar(&every, "every", time.Second, "time between two looks")
	flags.BoolVar(&once, "once", false, "look for one such time, print it and end")
	return cmd
}

// top looks at a gateway again and again.
type top struct {
	client *adminClient
	out    io.Writer
	before look
}

// look is what was seen at one moment.
type look struct {
	at        time.Time
	status    admin.Status
	routes    []admin.Route
	upstreams []admin.Upstream
	counts    map[string]uint64
}

func (t *top) run(ctx context.Context, every time.Duration, once bool) error {
	file, isFile := t.out.(*os.File)
	live := !once && isFile && term.IsTerminal(int(file.Fd()))
	var err error
	if t.before, err = t.look(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		now, err := t.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		page := t.page(&now)
		if live {
			page = append([]byte("\x1b[H\x1b[2J"), page...)
		}
		if _, err := t.out.Write(page); err != nil {
			return err
		}
		t.before = now
		if once {
			return nil
		}
	}
}

func (t *top) look(ctx context.Context) (l look, err error) {
	l.at = time.Now()
	for path, into := range map[string]any{"/ready": &l.status, "/routes": &l.routes, "/upstreams": &l.upstreams} {
		if err := t.client.get(ctx, path, into); err != nil {
			return l, err
		}
	}
	l.counts = map[string]uint64{}
	for _, r := range l.routes {
		l.count("route "+r.Name, &r.Figures)
	}
	for _, u := range l.upstreams {
		for _, e := range u.Endpoints {
			l.count("endpoint "+u.Name+" "+e.Address, &e.Figures)
		}
	}
	return l, nil
}

func (l *look) count(key string, f *admin.Figures) {
	l.counts[key], l.counts[key+" 5xx"] = f.Requests, f.Status["5xx"]
}

// page writes what is seen now: routes with the most requests first.
func (t *top) page(now *look) []byte {
	var b bytes.Buffer
	state := "ready"
	if now.status.Draining {
		state = "draining"
	}
	fmt.Fprintf(&b, "nanogate %s  %s  %d connections  %s\n", strings.Join(now.status.Listen, " "), state, now.status.Clients, now.status.Config)
	for _, p := range now.status.Problems {
		fmt.Fprintln(&b, "!", p)
	}
	rate := func(key string) float64 {
		last, known := t.before.counts[key]
		if seconds := now.at.Sub(t.before.at).Seconds(); known && seconds > 0 && now.counts[key] >= last {
			return float64(now.counts[key]-last) / seconds
		}
		return 0
	}
	routes := slices.Clone(now.routes)
	slices.SortStableFunc(routes, func(a, b admin.Route) int {
		return cmp.Or(cmp.Compare(rate("route "+b.Name), rate("route "+a.Name)), cmp.Compare(b.Figures.Requests, a.Figures.Requests))
	})
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	const most = 20
	fmt.Fprintln(w, "\nROUTE\tPATH\tREQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\t")
	for _, r := range routes[:min(most, len(routes))] {
		path := r.Path
		if r.Broken {
			path += " (can't be served)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, path, cells("route "+r.Name, &r.Figures, rate))
	}
	fmt.Fprintln(w, "\nUPSTREAM\tENDPOINT\tREQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\tACTIVE\tSTATE")
	for _, u := range now.upstreams {
		for _, e := range u.Endpoints {
			state := "up"
			if !e.Usable {
				state = strings.Join(e.Marks, ",")
			}
			fmt.Fprintf(w, "%s\t%s\t%s%d\t%s\n", u.Name, e.Address, cells("endpoint "+u.Name+" "+e.Address, &e.Figures, rate), e.Active, state)
		}
	}
	_ = w.Flush() // into memory
	if len(routes) > most {
		fmt.Fprintf(&b, "\n%d more routes\n", len(routes)-most)
	}
	return b.Bytes()
}

func cells(key string, f *admin.Figures, rate func(string) float64) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t", short(rate(key)), short(rate(key+" 5xx")), short(f.P50), short(f.P99), f.Requests)
}

// short writes a figure with three digits.
func short(x float64) string {
	if x == 0 {
		return "-"
	}
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
