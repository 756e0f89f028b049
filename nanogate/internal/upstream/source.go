package upstream

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Source finds the instances of an upstream: DNS, etcd, a file.
type Source interface {
	// Watch calls update with all instances, at first and whenever they change, until
	// ctx ends. It calls update with none only when the source itself says that there
	// are none: while the source can't be reached, the known ones stay. It runs on a
	// goroutine of its own and logs failures.
	Watch(ctx context.Context, update func([]Instance))
}

// Preloaded is a source that knows instances before it is watched: an upstream that is
// rebuilt begins with those.
type Preloaded interface {
	Known() []Instance
}

// Successor is a source that begins with what sources before it have found of the same, so that
// an upstream which is configured otherwise isn't without instances meanwhile.
type Successor interface {
	// Inherit is called before [Preloaded.Known] and [Source.Watch]. The sources before may
	// be watched still.
	Inherit(before []Source)
}

// Reporter is a source that says how it is doing.
type Reporter interface {
	Status() SourceStatus
}

// SourceStatus is how a source is doing.
type SourceStatus struct {
	From     string    // such as "etcd http://127.0.0.1:2379 /services/users/"
	Live     bool      // what it says is so now; else it is what was known last
	Since    time.Time // of Live being as it is
	Stored   bool      // what it says was kept on disk by an earlier run
	Read     time.Time // when it was so, if it is Stored
	Revision int64     // of the store
	Err      string    // why it isn't live
	Wrong    []string  // what it found that is no instance, and why
}

// discovered merges what the sources of an upstream find.
type discovered struct {
	u  *Upstream
	mu sync.Mutex
	by [][]Instance // by source, as given; the static ones come first
	// wrong is what each source named that the upstream doesn't take.
	wrong [][]string

	pending map[int]bool  // sources without a first result yet
	ready   chan struct{} // closed when all have
}

func newDiscovered(u *Upstream, static []Instance, sources []Source) *discovered {
	f := &discovered{u: u, by: make([][]Instance, 1+len(sources)), wrong: make([][]string, len(sources)), pending: map[int]bool{}, ready: make(chan struct{})}
	f.by[0] = static
	if len(sources) == 0 {
		close(f.ready)
	}
	for i, source := range sources {
		f.pending[i] = true
		if k, ok := source.(Preloaded); ok {
			f.by[1+i] = k.Known()
		}
	}
	f.publish()
	return f
}

// set gives the upstream what a source has found.
func (f *discovered) set(source int, instances []Instance) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.by[1+source] = instances
	f.publish()
	if f.pending[source] {
		if delete(f.pending, source); len(f.pending) == 0 {
			close(f.ready)
		}
	}
}

// refresh updates the upstream after the gateway's own addresses have changed.
func (f *discovered) refresh() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.publish()
}

// publish gives the upstream all instances but those with the gateway's own addresses. f.mu is
// held, or f isn't published yet.
func (f *discovered) publish() {
	all := slices.Clone(f.by[0])
	for i, told := range f.by[1:] {
		others, wrong := f.u.registry.Own.without(told)
		for _, w := range wrong {
			if !slices.Contains(f.wrong[i], w) {
				f.u.registry.log().Warn("a source names the gateway itself; its other instances are used", "upstream", f.u.Name, "problem", w)
			}
		}
		f.wrong[i] = wrong
		all = append(all, others...)
	}
	f.u.Update(all)
}

// Statuses are the states of the upstream's sources: of those that report one, and the
// instances that were refused of sources and of host names.
func (u *Upstream) Statuses() (all []SourceStatus) {
	u.discovered.mu.Lock()
	defer u.discovered.mu.Unlock()
	var silent []string
	for i, source := range u.Sources {
		wrong := u.discovered.wrong[i]
		wrong = wrong[:min(len(wrong), mostWrong)]
		if r, ok := source.(Reporter); ok {
			s := r.Status()
			s.Wrong = slices.Concat(s.Wrong, wrong)
			all = append(all, s)
		} else {
			silent = append(silent, wrong...)
		}
	}
	if len(silent) == 0 {
		return all
	}
	if len(all) == 0 {
		return []SourceStatus{{From: "names of hosts", Live: true, Wrong: silent}}
	}
	all[0].Wrong = slices.Concat(all[0].Wrong, silent)
	return all
}

// mostWrong bounds how many of a source's instances that aren't taken are shown.
const mostWrong = 20
