//go:build linux

package simulator

import (
	"fmt"
	"strings"

	"dyno.example/nano/wire/simulated"
	"dyno.example/nanogate/internal/config"
)

// configure writes the gateway's configuration. With a change some endpoints come and go, and
// routes that nobody asks for.
func (sc *Scenario) configure(folder string, change *simulated.Random) (*config.Config, error) {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("listen: 127.0.0.1:80")
	p("cache: {size: 16MiB}")
	p("client: {idle: 60s, read-head: 60s, read-body: 60s, write: 60s, rate: 0B}")
	p("routes:")
	for _, r := range sc.Routes {
		p("  - name: %s\n    match: {path: \"/%s/*\"}\n    to: %s", r.Name, r.Name, r.To)
		if !r.has("timeout") {
			p("    timeout: 100s")
		}
		for _, line := range r.Lines {
			if !line.Off {
				p("    %s", line.Text)
			}
		}
	}
	if change != nil {
		for i := range change.Below(3) {
			p("  - {name: other%d, match: {path: \"/other%d/*\"}, to: %s}", i, i, sc.Groups[change.Below(len(sc.Groups))].Name)
		}
	}
	p("upstreams:")
	for _, g := range sc.Groups {
		list := append([]*Endpoint(nil), g.Endpoints...)
		if change != nil && g.Spare != nil {
			switch change.Below(3) {
			case 0:
				list = append(list, g.Spare)
			case 1:
				list = append(list[1:], g.Spare)
			}
		}
		scheme, names := "http://", []string(nil)
		if g.HTTP2 {
			scheme = "h2c://"
		}
		for _, e := range list {
			names = append(names, fmt.Sprintf("%q", scheme+e.At.String()))
		}
		p("  %s:\n    endpoints: [%s]\n    connect: 10s\n    response: 40s\n    idle: 50s\n    pool: {idle: 2s, warm: %d}\n    balance: %s", g.Name, strings.Join(names, ", "), g.Warm, g.Balance)
		for _, l := range g.Lines {
			if !l.Off {
				p("    %s", l.Text)
			}
		}
		if g.Bound > 0 {
			p("    concurrency: {most: %d, queue: {size: 8, wait: 20ms}}", g.Bound)
		}
	}
	return config.ParseIn(folder, "world.yaml", []byte(b.String()))
}
