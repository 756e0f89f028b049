//go:build linux

package proxy

import (
	"runtime/metrics"

	"dyno/gate/request"
	"dyno/nano/wire/clock"
)

var (
	answerBusy     = request.Refuse(503, "the gateway has too much to do at the moment", "Retry-After: 1\r\n")
	answerReady    = &request.Answer{Status: 200, Fields: []byte("Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"), Body: []byte("ready\n")}
	answerDraining = &request.Answer{Status: 503, Fields: answerReady.Fields, Body: []byte("draining\n")}
)

// feel finds out whether the gateway has too much to do: how long the batch of events
// took that has just been dealt with is how long one waits that comes now.
func (l *loop) feel() {
	rules := &l.snap.Config.Overload
	if rules.Lag == 0 && rules.Memory == 0 {
		return
	}
	now := clock.Now()
	if l.local.Loop == 0 && rules.Memory > 0 && now >= l.weighed {
		l.weighed = now + weighEvery
		l.server.heavy.Store(heap() > uint64(rules.Memory))
	}
	l.pressure.Observe(now-l.now, now, int64(rules.Lag), rules.Memory > 0 && l.server.heavy.Load())
}

const weighEvery = int64(250e6) // ns

// heap is how many bytes live and dead objects take, as the runtime counts them.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// sheds reports whether a request is turned away because the gateway has too much to do.
func (l *loop) sheds(i request.Importance) bool {
	return l.pressure.Sheds(i, float64(l.local.Random()>>11)/(1<<53))
}

// ready answers who asks whether the gateway is ready: before any route, whatever it has
// to do. It reports whether that was the question.
func (l *loop) ready(c *client, r *request.Request) bool {
	path := l.snap.Config.Ready
	if path == "" || string(r.Path) != path || c.x.method != safe && c.x.method != head {
		return false
	}
	if l.server.draining.Load() {
		l.refuse(c, answerDraining)
	} else {
		l.refuse(c, answerReady)
	}
	return true
}
