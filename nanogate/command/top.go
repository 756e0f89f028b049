//go:build linux

package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dyno.example/internal/visible"
	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/stats"
)

func newTop() *cobra.Command {
	var a adminFlags
	var every time.Duration
	var once bool
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show routes and endpoints of a running gateway, live",
		Long: `Shows live traffic of a running gateway: requests per second by route and endpoint,
errors, latency, cache, mirrors, canaries, plug-ins, identity providers, and when
certificates expire. It reads the admin address.`,
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
	flags.DurationVar(&every, "every", time.Second, "refresh interval")
	flags.BoolVar(&once, "once", false, "print one interval and exit")
	return cmd
}

// top shows a gateway's state, refreshed periodically.
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
	mirrors   []admin.Mirror
	canaries  []admin.Canary
	cache     *admin.Cache // nil: there is none
	asked     []admin.Identity
	shown     []admin.Certificate
	plugins   []admin.Plugin
	counts    map[string]uint64
	took      map[string]map[int]uint64 // response times by bucket
}

func (t *top) run(ctx context.Context, every time.Duration, once bool) error {
	screen := t.out
	if w, ok := screen.(visible.Writer); ok {
		screen = w.To
	}
	file, isFile := screen.(*os.File)
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
		width, height := 0, 0
		if live {
			if width, height, err = term.GetSize(int(file.Fd())); err != nil {
				width, height = 80, 24
			}
		}
		page := visible.Append(nil, t.page(&now, max(height-1, 0)))
		if live {
			page = append([]byte("\x1b[H\x1b[2J"), fit(page, width, height)...)
		}
		if _, err := screen.Write(page); err != nil {
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
	for path, into := range map[string]any{
		"/ready": &l.status, "/routes?histograms": &l.routes, "/upstreams?histograms": &l.upstreams,
		"/mirrors": &l.mirrors, "/canaries": &l.canaries, "/cache": &l.cache,
		"/identity": &l.asked, "/certificates": &l.shown, "/plugins": &l.plugins,
	} {
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
	for _, m := range l.mirrors {
		l.counts["mirror "+m.Route] = m.Same + m.Different + m.Failed
	}
	if l.cache != nil {
		l.counts[cacheEvicted] = l.cache.Evicted
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

// cacheEvicted counts what the cache had no room for any more.
const cacheEvicted = "cache evicted"

// rate is how many of something there were a second since the look before.
func (t *top) rate(now *look, key string) float64 {
	last, known := t.before.counts[key]
	if seconds := now.at.Sub(t.before.at).Seconds(); known && seconds > 0 && now.counts[key] >= last {
		return float64(now.counts[key]-last) / seconds
	}
	return 0
}

// cells are the figures of a series: rates and percentiles of the time since the look
// before.
func (t *top) cells(now *look, key string, f *admin.Figures) string {
	h := now.since(&t.before, key)
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t", short(t.rate(now, key)), short(t.rate(now, key+" 5xx")), short(h.Quantile(0.5).Seconds()*1e3), short(h.Quantile(0.99).Seconds()*1e3), f.Requests)
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
