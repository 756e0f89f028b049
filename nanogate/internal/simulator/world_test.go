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

// A request that came with the rest of the body of the one before, to which the response was sent early, isn't
// looked at when its endpoint resets the connection behind that.
func TestRequestBehindAnEarlyResponse(t *testing.T) {
	for n := range 10 {
		sc := small(1)
		sc.Groups[0].Endpoints[0].Line.Latest = 1e6
		c := sc.Clients[0]
		c.Line.Latest, c.Think, c.Depth = 1e6, 3e6, 5
		for range 10 {
			sc.asks(1, Request{Method: "GET"})
			sc.asks(1, Request{Method: "POST", Body: 17 + n, Expect: true, Early: true, Tries: []Fault{{Kind: "cut-after"}}})
			sc.asks(2, Request{Method: "POST", Body: 17 + n})
		}
		holds(t, sc, -1)
	}
}
