//go:build linux

package simulator

import "slices"

// atRest is how long it takes until nothing is left: more than any limit, and than pools keep
// what is idle.
const atRest = 200e9 // ns

// sound looks whether what the gateway holds is consistent.
func (w *world) sound() {
	if why := w.server.Unsound(); why != "" {
		w.violate("unsound", "%s", why)
	}
	if n := w.server.Violations.Load(); n > 0 {
		w.violate("own-mistake", "%d: %s", n, w.log)
	}
}

// rest lets time pass without requests, and looks at what is left then.
func (w *world) rest() {
	end := w.sys.Now() + int64(atRest)
	for w.sys.Next(end) && w.violated < mostViolations {
	}
	w.sound()
	for _, x := range w.exchanges {
		if x != nil && x.begun != 0 && !x.over {
			w.violate("no-end", "%s", x)
		}
	}
	if w.violated > 0 {
		return
	}
	w.stand()
	for _, u := range w.server.Snapshot().Upstreams {
		for _, e := range u.Set().All {
			if !e.Usable() || e.Warm() != 100 {
				w.violate("left-out-for-ever", "%s, %d%% warm, marks %d", e.Name, e.Warm(), e.Marks())
			}
		}
	}
	if !w.draining {
		if left := w.server.Left(); left != "" && !w.warm() {
			w.violate("left", "%s", left)
		}
		w.draining = true
		w.sys.After(0, w.server.Drain)
		for end = w.sys.Now() + int64(atRest); w.sys.Next(end); {
		}
	}
	for _, s := range w.steps {
		if !s.ended {
			w.violate("drain", "loop %d goes on", s.loop)
		}
	}
	if n := w.sys.Descriptors(); w.violated == 0 && n > 1 { // the spare one
		w.violate("left", "%d descriptors are open", n)
	}
}

// warm is whether connections stay that nobody uses.
func (w *world) warm() bool {
	return slices.ContainsFunc(w.Groups, func(g *Group) bool { return g.Warm > 0 })
}
