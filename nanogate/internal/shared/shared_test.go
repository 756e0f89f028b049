package shared

import "testing"

func TestMap(t *testing.T) {
	var m Map[int]
	opened := 0
	open := func() int { opened++; return opened }
	if _, ok := m.Find("a"); ok {
		t.Error("found before it was used")
	}
	if a, again, b := m.Use("a", open), m.Use("a", open), m.Use("b", open); a != 1 || again != 1 || b != 2 || m.Len() != 2 {
		t.Errorf("%d, %d, %d; %d used", a, again, b, m.Len())
	}
	if m.Leave("a") {
		t.Error("the first of two uses was the last")
	}
	if v, ok := m.Find("a"); !ok || v != 1 {
		t.Errorf("%d, %v with one use left", v, ok)
	}
	if !m.Leave("a") || m.Len() != 1 {
		t.Error("the last use was none")
	}
	if v := m.Use("a", open); v != 3 {
		t.Errorf("%d after all had left", v)
	}
}
