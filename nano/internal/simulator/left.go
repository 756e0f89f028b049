//go:build linux

package simulator

// atRest is how long it takes until nothing is left: longer than any limit.
const atRest = 300e9 // ns

// rest lets time pass without requests, and looks at what is left then.
func (w *world) rest() {
	w.pass()
	for _, x := range w.exchanges {
		if x != nil && x.handled != x.ended {
			w.violate("no-end", "the handler hasn't returned: %s", x)
		}
	}
	if left := w.server.Left(); left != "" {
		w.violate("left", "%s", left)
	}
	if len(w.violations) > 0 {
		return
	}
	w.drain()
	w.pass()
	select {
	case <-w.server.Ended():
	default:
		w.violate("drain", "loops go on")
	}
	if n := w.sys.Descriptors(); n > 0 {
		w.violate("left", "%d descriptors are open", n)
	}
	if n := w.sys.Left(); n > 0 {
		w.violate("left", "%d goroutines", n)
	}
}

func (w *world) pass() {
	for end := w.sys.Now() + int64(atRest); w.sys.Next(end); {
	}
}
