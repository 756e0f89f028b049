//go:build linux

package gateway_test

import (
	"io"
	"slices"
	"sync"
	"testing"
)

// Behind the gateway stand servers that others wrote. Whatever they would have read of
// the catalogue by themselves, behind the gateway they never see a request that it
// didn't send: what two parsers read in two ways doesn't get that far.
func TestCatalogueBeforeOthers(t *testing.T) {
	for name := range others {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []string
			upstream := scripted(t, func(p *peer) {
				for {
					r, err := p.request()
					if err != nil {
						return
					}
					mu.Lock()
					seen = append(seen, r.RequestURI)
					mu.Unlock()
					p.send(ok)
				}
			})
			at := proxying(t, startOther(t, name, upstream))
			if status, body := get(t, at, "/ready"); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			for _, a := range attacks() {
				mu.Lock()
				seen = nil
				mu.Unlock()
				c := dial(t, at)
				io.WriteString(c, a.Wire)
				most := expected(&a)
				statuses := responses(c.r, a.Wire, most)
				c.Close()
				if a.Status > 0 && (len(statuses) != 1 || statuses[0] != a.Status) || a.Status == 0 && len(statuses) != most {
					t.Errorf("%s: %v", a.Name, statuses)
				}
				mu.Lock()
				if slices.Contains(seen, "/admin") && most != 2 {
					t.Errorf("%s: the upstream saw %q", a.Name, seen)
				}
				mu.Unlock()
			}
		})
	}
}
