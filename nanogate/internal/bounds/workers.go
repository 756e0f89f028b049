package bounds

import (
	"sync"
	"time"
)

// Workers are goroutines beside the loops for what takes long: verifying passwords,
// requests to other servers. They are started on demand, and bounded.
type Workers struct {
	Go   func(func())        // has a function done by another goroutine; nil: the go statement does
	Rest func(time.Duration) // has a worker rest; nil: it sleeps

	most, room int

	mu      sync.Mutex
	running int
	queue   []func()
}

// queueEach is how many jobs may wait for each worker.
const queueEach = 256

// NewWorkers makes workers that compute: never more than half of the CPUs, as the rest is
// the loops'.
func NewWorkers(cpus int) *Workers {
	most := max(1, cpus/2)
	return NewWorkersOf(most, most*queueEach)
}

// NewAskers makes workers that wait for responses from the network, which takes next to
// no CPU: as many as there may be requests at once.
func NewAskers() *Workers {
	const most, room = 128, 1024
	return &Workers{most: most, room: room}
}

// NewWorkersOf makes workers of which there are never more than most, for room jobs that
// wait.
func NewWorkersOf(most, room int) *Workers { return &Workers{most: most, room: room} }

// Do has a job done, and reports whether there was room for it. It doesn't wait.
func (w *Workers) Do(job func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running < w.most {
		w.running++
		w.start(job)
		return true
	}
	if len(w.queue) >= w.room {
		return false
	}
	w.queue = append(w.queue, job)
	return true
}

func (w *Workers) start(job func()) {
	if w.Go == nil {
		go w.run(job)
		return
	}
	w.Go(func() { w.run(job) })
}

// Pause has the worker that calls it rest for a while.
func (w *Workers) Pause(d time.Duration) {
	if w.Rest == nil {
		time.Sleep(d)
		return
	}
	w.Rest(d)
}

// run does jobs until there are none.
func (w *Workers) run(job func()) {
	for job != nil {
		job()
		job = w.next()
	}
}

// next takes the job that has waited longest; nil if there is none, and then the worker
// is one no longer.
func (w *Workers) next() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.running--
		w.queue = nil
		return nil
	}
	job := w.queue[0]
	w.queue[0] = nil
	w.queue = w.queue[1:]
	return job
}
