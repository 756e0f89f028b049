package evidence

import "testing"

// drawn runs requests through a loop's draws and counts what was kept of each class.
func drawn(s *Sampler, n int, response func(i int) int64) (kept map[Class]int, weight map[Class]float64) {
	d := s.Loop(0)
	kept, weight = make(map[Class]int), make(map[Class]float64)
	for i := range n {
		done := int64(i) * 1e6
		if w := d.Wants(uint64(i%4), 0, done-response(i), done); w.Class != "" {
			d.Push(&Sample{Intended: done - response(i), Done: done}, w)
			kept[w.Class]++
			weight[w.Class] += w.Weight
		}
		s.Fetch(func(*Sample) bool { return true })
	}
	return kept, weight
}

func TestSamplerKeepsTheTailAndItsLike(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	s.Slow(100, 1000)
	s.Every(10, 50)
	kept, weight := drawn(s, 10_000, func(i int) int64 {
		switch {
		case i%1000 == 0:
			return 5000
		case i%10 == 0:
			return 200
		}
		return 10
	})
	if kept[Tail] != 10+99 || weight[Tail] != 10+990 {
		t.Errorf("kept %d slow requests that stand for %v, want 109 for 1000", kept[Tail], weight[Tail])
	}
	if kept[Match] == 0 || kept[Match] > kept[Tail] {
		t.Errorf("%d matches for %d slow ones", kept[Match], kept[Tail])
	}
	if kept[Body] < 170 || kept[Body] > 180 || weight[Body] != float64(50*kept[Body]) {
		t.Errorf("kept %d ordinary requests that stand for %v", kept[Body], weight[Body])
	}
	if n, slow, dropped := s.Seen(); n != 10_000 || slow != 1000 || dropped != 0 {
		t.Errorf("seen %d, %d slow, %d dropped", n, slow, dropped)
	}
}

func TestSamplerAsleepDrawsNothing(t *testing.T) {
	s := NewSampler()
	s.Slow(1, 1)
	s.Every(1, 1)
	if kept, _ := drawn(s, 100, func(int) int64 { return 5 }); len(kept) != 0 {
		t.Error(kept)
	}
}

// TestSamplerIsBounded: what nobody fetches is dropped and counted.
func TestSamplerIsBounded(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	s.Slow(1, 1)
	d := s.Loop(0)
	for range drawsKept + 7 {
		d.Push(&Sample{}, d.Wants(0, 0, 0, 5))
	}
	if _, _, dropped := s.Seen(); dropped != 7 {
		t.Errorf("%d dropped", dropped)
	}
}

func TestDrawsDontAllocate(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	s.Slow(3, 3)
	s.Every(2, 2)
	d := s.Loop(0)
	i := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		i++
		if w := d.Wants(uint64(i%3), 0, 0, i%5); w.Class != "" {
			d.Push(&Sample{}, w)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLeftOut(t *testing.T) {
	traced := 0
	for port := range uint64(8000) {
		if !LeftOut(0x0100007f<<16|port, 7) {
			traced++
		}
	}
	if traced < 800 || traced > 1200 {
		t.Errorf("%d of 8000 connections are traced, want an eighth", traced)
	}
}
