//go:build linux

package storm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// configure writes the gateway's configuration. With changes some endpoints come and go, and
// routes that get no requests.
func (s *Storm) configure(rng *rand.Rand, changed bool) error {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("listen: [{address: %q, tls: false}, %q]\nadmin: %q\n", s.plain, s.secured, s.admin)
	if s.kept {
		p("access-log: {to: ./access.log}\n")
	}
	p("tls: {certificates: [{cert: ./cert.pem, key: ./key.pem}]}\n")
	if s.on["plugins"] {
		p("plugins:\n")
		for _, name := range pluginNames {
			p("  %s: {wasm: ./%s.wasm, time: 9s, instances: 4, queue: {wait: 9s}}\n", name, name)
		}
	}
	p("cache: {size: 16MiB}\nclient: {drain: %v, rate: 0B}\nroutes:\n", drainTime)
	for _, r := range s.routes {
		p("  - name: %s\n    match: {path: \"/%s/*\"}\n    timeout: %v\n    to: %s\n", r.name, r.name, wholeTime, r.to)
		for _, line := range r.lines {
			p("    %s\n", line)
		}
	}
	if changed {
		for i := range rng.IntN(3) {
			p("  - {name: other%d, match: {path: \"/other%d/*\"}, to: %s}\n", i, i, s.order[rng.IntN(len(s.order))])
		}
	}
	p("upstreams:\n")
	for _, name := range s.order {
		g := s.groups[name]
		list := append([]*endpoint(nil), g.endpoints...)
		if changed {
			switch rng.IntN(3) {
			case 0:
				list = append(list, g.spare)
			case 1:
				list = append(list[1:], g.spare)
			}
		}
		p("  %s:\n    endpoints: [", name)
		for i, e := range list {
			if i > 0 {
				p(", ")
			}
			p("%q", map[string]string{"h1": "http://", "h1s": "https://", "h2c": "h2c://", "h2s": "https://"}[g.kind]+e.at)
		}
		p("]\n    connect: %v\n    response: %v\n    idle: %v\n    pool: {idle: 2s}\n", stepTime, stepTime, stepTime)
		if strings.HasSuffix(g.kind, "s") {
			p("    tls: {ca: ./cert.pem, server-name: storm.example}\n")
		}
	}
	file := filepath.Join(s.options.Folder, "storm.yaml")
	if err := os.WriteFile(file+".new", []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
