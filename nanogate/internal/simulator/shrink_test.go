//go:build linux

package simulator

import "testing"

// Of a world only what it fails of is left.
func TestShrink(t *testing.T) {
	sc := Draw(5, 100)
	sc.Changes = append(sc.Changes, &Change{Kind: "reload"}, &Change{Kind: "drain"})
	find := func(id int) *Request {
		for _, c := range sc.Clients {
			for _, r := range c.Requests {
				if r.ID == id {
					return r
				}
			}
		}
		return nil
	}
	drains := func() bool {
		for _, c := range sc.Changes {
			if c.Kind == "drain" {
				return true
			}
		}
		return false
	}
	find(7).Interims = 2
	if runs := Shrink(sc, func(*Scenario) bool {
		one, other := find(7), find(61)
		return one != nil && other != nil && one.Interims == 2 && drains()
	}, 5000); runs >= 5000 {
		t.Errorf("it comes to no end")
	}
	if n := sc.Size(); n != 3 || len(sc.Changes) != 1 {
		t.Errorf("%d things happen still:\n%s", n, sc)
	}
	if one := find(7); one.Body != 0 || one.Want != 0 || one.Delay != 0 || one.Abort != "" {
		t.Errorf("what is left isn't plain: %s", one)
	}
}
