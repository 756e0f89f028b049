//go:build linux

package simulator

import "testing"

// A world in which something goes on for ever, without time that passes, comes to an end too.
func TestNoTimePasses(t *testing.T) {
	sc := small(1)
	sc.asks(1, Request{Method: "GET", Want: 10, Delay: 30e6})
	w := newWorld(sc)
	w.began = w.sys.Now()
	if err := w.prepare(); err != nil {
		t.Fatal(err)
	}
	defer w.tidy()
	var again func()
	again = func() { w.sys.After(0, again) }
	w.sys.After(10e6, again)
	w.run()
	if len(w.violations) != 1 || w.violations[0].Kind != "hang" || w.violations[0].request != 1 {
		t.Errorf("%v", w.violations)
	}
}
