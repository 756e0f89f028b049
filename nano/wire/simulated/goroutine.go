//go:build linux

package simulated

import (
	"runtime"
	"runtime/debug"
	"slices"
)

// goroutines are those that run loops which aren't stepped, and what these give to others. One
// has its turn at a time, and keeps it until it waits or ends: then whoever calls
// [System.Next] goes on. So all that they do is in the order of the schedule.
type goroutines struct {
	sys     *System
	back    chan struct{} // the turn, given back
	running bool          // one has its turn
	there   int           // how many there are
	made    []*sleeper
	spare   []*sleeper
	waits   []*wait // those that wait for a channel
	failed  func(why any, stack []byte)
	over    bool // who waits ends
}

// Goroutines has loops run by goroutines instead of steps: what is given to [System.Go] may wait,
// by Await, Sleep and a poller, and by nothing else. It is called before there are pollers. A
// panic of a goroutine ends that, and failed is told.
func (s *System) Goroutines(failed func(why any, stack []byte)) {
	s.goroutines = &goroutines{sys: s, back: make(chan struct{}), failed: failed}
}

// Left is how many goroutines there are.
func (s *System) Left() int { return s.goroutines.there }

// End ends the goroutines that wait, as [runtime.Goexit] does, where a world isn't of interest any
// more: nothing else would. What they do on their way, and whether they panic, isn't told.
func (s *System) End() {
	g := s.goroutines
	g.over, g.failed = true, func(any, []byte) {}
	for i := 0; i < len(g.made); i++ { // on their way they may make more
		if k := g.made[i]; k.waits {
			k.resume()
		}
	}
}

// starts returns what starts f and waits until it gives its turn back.
func (g *goroutines) starts(f func()) func() {
	g.there++
	return func() {
		g.running = true
		go func() {
			defer func() { // also after runtime.Goexit
				if why := recover(); why != nil {
					g.failed(why, debug.Stack())
				}
				g.there--
				g.back <- struct{}{}
			}()
			f()
		}()
		<-g.back
		g.running = false
	}
}

// sleeper is what a goroutine waits with for its next turn.
type sleeper struct {
	all    *goroutines
	turn   chan struct{}
	resume func() // gives it its turn, and waits until that is given back
	waits  bool
}

func (g *goroutines) sleeper() *sleeper {
	if n := len(g.spare); n > 0 {
		k := g.spare[n-1]
		g.spare = g.spare[:n-1]
		return k
	}
	k := &sleeper{all: g, turn: make(chan struct{})}
	k.resume = func() {
		g.running = true
		k.turn <- struct{}{}
		<-g.back
		g.running = false
	}
	g.made = append(g.made, k)
	return k
}

// wait gives the turn back until there is another one.
func (k *sleeper) wait() {
	if !k.all.running {
		panic("simulated: who isn't a goroutine of the system waits")
	}
	if k.all.over {
		runtime.Goexit()
	}
	k.waits = true
	k.all.back <- struct{}{}
	<-k.turn
	if k.waits = false; k.all.over {
		runtime.Goexit()
	}
}

// sleep waits for a time.
func (g *goroutines) sleep(d int64) {
	k := g.sleeper()
	g.sys.After(d, k.resume)
	k.wait()
	g.spare = append(g.spare, k)
}

// wait is a goroutine that waits for a channel.
type wait struct {
	*sleeper
	ready <-chan struct{}
	said  bool
}

// await waits for a channel, for so long at most; 0 or less: for ever.
func (g *goroutines) await(ready <-chan struct{}, d int64) (said bool) {
	select {
	case <-ready:
		return true
	default:
	}
	w := &wait{sleeper: g.sleeper(), ready: ready}
	g.waits = append(g.waits, w)
	if d > 0 {
		g.sys.After(d, func() {
			if i := slices.Index(g.waits, w); i >= 0 {
				g.waits = slices.Delete(g.waits, i, i+1)
				w.resume()
			}
		})
	}
	w.wait()
	g.spare = append(g.spare, w.sleeper)
	return w.said
}

// hear has those go on whose channel says something.
func (g *goroutines) hear() {
	left := g.waits[:0]
	for _, w := range g.waits {
		select {
		case <-w.ready:
			w.said = true
			g.sys.After(g.sys.latency(), w.resume)
		default:
			left = append(left, w)
		}
	}
	clear(g.waits[len(left):])
	g.waits = left
}
