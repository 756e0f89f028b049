//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/stats"
)

// Whether those who ask wait longer when all requests are mirrored. The shadow is a null
// server beside the other one, on the generator's CPU: what it takes there is part of the
// comparison.
const (
	again     = nanogate + ", again"
	mirroring = nanogate + ", mirroring"
	tail99    = "p99_us"
)

func mirrorCampaign() campaign {
	return campaign{
		name: "mirror", connections: 64, seconds: 5, load: (*lab).mirror, path: plainPath, rate: 5000, compare: compareMirroring,
		gateways: []gateway{
			{name: nanogate, command: func(l *lab, address string) []string { return l.mirrors("first.yaml", address, "") }},
			{name: again, command: func(l *lab, address string) []string { return l.mirrors("first.yaml", address, "") }},
			{name: mirroring, command: func(l *lab, address string) []string {
				return l.mirrors("mirror.yaml", address, ", mirror: http://"+l.shadow.Address)
			}},
		},
		question: "How long does a proxied GET take at 5,000 requests/s when all of them are mirrored to a second upstream, and without; how much do two gateways differ that are the same?",
	}
}

const mirrorFile = `listen: %s
admin: %s
routes: [{match: {path: "/*"}, to: "http://%s"%s}]
`

// mirrors is the command of a nanogate that shows itself, and has something more in its route.
func (l *lab) mirrors(file, address, more string) []string {
	l.admin, _ = rounds.FreeAddress() // without one the file is wrong, which the trial says
	return []string{l.nanogate, "run", "--loops", "1", "-c", l.write(file, fmt.Sprintf(mirrorFile, address, l.admin, l.upstream.Address, more))}
}

// mirror puts the load on a gateway and asks it afterwards how much it mirrored.
func (l *lab) mirror(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	if err := l.load(ctx, c, s, t); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.admin+"/metrics", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sums, err := sumsOf(resp.Body, "nanogate_requests_total", "nanogate_mirror_requests_total")
	if err != nil {
		return err
	}
	t.Figures["mirrored_share"] = sums[1] / max(1, sums[0])
	if t.Tool == mirroring && sums[1] < 0.99*sums[0] {
		return fmt.Errorf("of %.0f requests %.0f were mirrored", sums[0], sums[1])
	}
	return nil
}

// sumsOf adds up the series of each metric in Prometheus's text.
func sumsOf(r io.Reader, metrics ...string) ([]float64, error) {
	sums := make([]float64, len(metrics))
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, rest, _ := strings.Cut(lines.Text(), "{")
		for i, metric := range metrics {
			if name != metric {
				continue
			}
			value, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(rest, '}')+1:]), 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", lines.Text(), err)
			}
			sums[i] += value
		}
	}
	return sums, lines.Err()
}

// compareMirroring holds mirroring against the same gateway without, and that against
// itself: what two equal ones differ by at most is as much as mirroring may add.
func compareMirroring(s *rounds.Summary) {
	s.Columns = append(s.Columns, rounds.Shown("mirrored_share", "mirrored", 3))
	s.More = func(w io.Writer, v *rounds.Values) {
		ratio := func(tool string) stats.Interval {
			return stats.Ratio(v.Of(tool, "", tail99), v.Of(nanogate, "", tail99), rounds.Confidence)
		}
		same := ratio(again)
		rounds.ShowRatio(w, tail99, again+" / "+nanogate, same, 0)
		rounds.ShowRatio(w, tail99, mirroring+" / "+nanogate, ratio(mirroring), same.High)
	}
}
