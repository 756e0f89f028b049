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
	"dyno/gate/cache"
	"dyno/gate/stats"
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
	took      map[string]map[int]uint64 // response times by bucket
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
			if width, height, err := term.GetSize(int(file.Fd())); err == nil {
				page = fit(page, width, height)
			}
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
	for path, into := range map[string]any{"/ready": &l.status, "/routes?histograms": &l.routes, "/upstreams?histograms": &l.upstreams} {
		if err := t.client.get(ctx, path, into); err != nil {
			return l, err
		}
	}
	l.counts, l.took = map[string]uint64{}, map[string]map[int]uint64{}
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
	l.took[key] = f.Took
}

// since is which response times came since the look before.
func (l *look) since(before *look, key string) (h stats.Histogram) {
	for bucket, n := range l.took[key] {
		if was := before.took[key][bucket]; bucket >= 0 && bucket < len(h.Buckets) && n > was {
			h.Buckets[bucket] = n - was
		}
	}
	return h
}

// fit cuts a page to what a terminal shows, with a line left for the cursor.
func fit(page []byte, width, height int) []byte {
	lines := bytes.SplitAfter(page, []byte("\n"))
	var b []byte
	for _, line := range lines[:min(len(lines), max(height-1, 1))] {
		if text := []rune(string(line)); len(text) > width+1 {
			line = []byte(string(text[:max(width-1, 0)]) + "…\n")
		}
		b = append(b, line...)
	}
	return b
}

// clip cuts a name that is too long for its column.
func clip(name string) string {
	const most = 32
	if text := []rune(name); len(text) > most {
		return string(text[:most-1]) + "…"
	}
	return name
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
	fmt.Fprintln(w, "\nREQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\tROUTE\tPATH")
	for _, r := range routes[:min(most, len(routes))] {
		path := r.Path
		if r.Broken {
			path += " (can't be served)"
		}
		if r.Cache != nil {
			path += "  " + cached(r.Cache)
		}
		fmt.Fprintf(w, "%s%s\t%s\n", t.cells(now, "route "+r.Name, &r.Figures, rate), clip(r.Name), path)
	}
	fmt.Fprintln(w, "\nREQ/S\t5XX/S\tP50 MS\tP99 MS\tREQUESTS\tACTIVE\tSTATE\tENDPOINT\tUPSTREAM")
	for _, u := range now.upstreams {
		for _, e := range u.Endpoints {
			state := "up"
			if !e.Usable {
				state = strings.Join(e.Marks, ",")
			}
			fmt.Fprintf(w, "%s%d\t%s\t%s\t%s\n", t.cells(now, "endpoint "+u.Name+" "+e.Address, &e.Figures, rate), e.Active, state, clip(e.Address), u.Name)
		}
	}
	_ = w.Flush() // into memory
	if len(routes) > most {
		fmt.Fprintf(&b, "\n%d more routes\n", len(routes)-most)
	}
	return b.Bytes()
}

// cached says which part of a route's requests was answered from the cache.
func cached(c *admin.RouteCache) string {
	all, spared := uint64(0), uint64(0)
	for result, n := range c.Results {
		all += n
		if result == cache.Hit.String() || result == cache.HitStale.String() || result == cache.Coalesced.String() || result == cache.Saved.String() {
			spared += n
		}
	}
	return fmt.Sprintf("(%.0f%% from the cache)", 100*float64(spared)/float64(max(all, 1)))
}

// cells are the figures of a series: rates and percentiles of the time since the look
// before.
func (t *top) cells(now *look, key string, f *admin.Figures, rate func(string) float64) string {
	h := now.since(&t.before, key)
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t", short(rate(key)), short(rate(key+" 5xx")), short(h.Quantile(0.5).Seconds()*1e3), short(h.Quantile(0.99).Seconds()*1e3), f.Requests)
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
