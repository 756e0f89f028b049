package limit

import (
	"math/rand/v2"
	"testing"
	"time"

	"dyno.example/nanogate/internal/request"
)

// A gateway that is asked for three times what it can do does nearly as much as it can,
// turns the least important away first, and takes everything soon after the load is gone.
func TestPressureAtThreeTimesTheCapacity(t *testing.T) {
	const (
		step     = int64(time.Millisecond)
		target   = int64(20 * time.Millisecond)
		serve    = 200e-6 // s for a request: 5,000 a second
		turnAway = 20e-6  // s
	)
	random := rand.New(rand.NewPCG(1, 3))
	var p Pressure
	now, backlog := int64(1e9), 0.0 // seconds of work that waits
	load := func(d time.Duration, rate float64) (done, asked [request.Importances]int, worst float64) {
		for end := now + int64(d); now < end; now += step {
			for n := rate * time.Duration(step).Seconds(); n > 0; n-- {
				i := request.Importance([]int{0, 0, 0, 0, 1, 1, 1, 2, 2, 3}[random.IntN(10)])
				asked[i]++
				if p.Sheds(i, random.Float64()) {
					backlog += turnAway
					continue
				}
				done[i]++
				backlog += serve
			}
			backlog = max(0, backlog-time.Duration(step).Seconds())
			worst = max(worst, backlog)
			p.Observe(int64(backlog*1e9), now, target, false)
		}
		return done, asked, worst
	}
	if done, asked, _ := load(5*time.Second, 2_500); done != asked {
		t.Errorf("at half of the capacity %v of %v are served", done, asked)
	}
	load(3*time.Second, 15_000)
	done, asked, worst := load(10*time.Second, 15_000)
	share := func(i request.Importance) float64 { return float64(done[i]) / float64(asked[i]) }
	if total := done[0] + done[1] + done[2] + done[3]; float64(total) < 0.7*50_000 {
		t.Errorf("%d requests are served of 50,000 that could be", total)
	}
	if worst > 1 {
		t.Errorf("the queue is up to %.2f s long", worst)
	}
	if share(request.Critical) != 1 || share(request.High) < 0.7 || share(request.Normal) > 0.1 || share(request.Low) > 0.01 {
		t.Errorf("low %.2f, normal %.2f, high %.2f, critical %.2f are served", share(0), share(1), share(2), share(3))
	}
	load(1900*time.Millisecond, 2_500)
	if done, asked, _ := load(time.Second, 2_500); done != asked {
		t.Errorf("two seconds after the load has gone %v of %v are served", done, asked)
	}
}

// A burst that goes away turns nobody away; too much memory does, with no queue at all.
func TestPressureObserves(t *testing.T) {
	var p Pressure
	now := int64(1e9)
	for n := range 100 {
		queue := int64(time.Second)
		if n%5 == 0 {
			queue = 0
		}
		now += int64(15 * time.Millisecond)
		p.Observe(queue, now, int64(10*time.Millisecond), false)
		if p.Sheds(request.Low, 0) {
			t.Fatalf("after %d observations a burst is taken for overload", n)
		}
	}
	for n := range 600 {
		now += int64(15 * time.Millisecond)
		p.Sheds(request.High, float64(n%10)/10)
		p.Observe(0, now, 0, true)
	}
	if !p.Sheds(request.Normal, 0.99) || !p.Sheds(request.High, 0.5) || p.Sheds(request.Critical, 0) {
		t.Error("too much memory turns nobody away, or everybody")
	}
	p.Observe(0, now+int64(time.Hour), 0, false)
	if p.Sheds(request.Low, 0) {
		t.Error("an hour later it still does")
	}
}
