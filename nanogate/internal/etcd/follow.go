package etcd

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// follow is what is known of one prefix: a [reader] that all upstreams of that prefix
// hear from.
type follow struct {
	log   *slog.Logger
	kept  *state.File // nil: it isn't kept on disk
	after time.Duration
	end   context.CancelFunc
	ended chan struct{}

	mu       sync.Mutex
	set      set
	known    bool // set was read, now or in an earlier life
	status   upstream.SourceStatus
	cluster  uint64 // etcd's number of it
	revision int64
	wrong    []string // as it was logged
	tell     []*func([]upstream.Instance)
	saving   *time.Timer // nil: what is on disk is what is known
}

// join returns the follower of a prefix, and starts it if there is none. Each join ends
// with [Clusters.part].
func (s *Clusters) join(c *config.Etcd) (*cluster, *follow) {
	cl := s.use(&c.Cluster)
	return cl, cl.follows.Use(c.Prefix, func() *follow {
		ctx, end := context.WithCancel(context.Background())
		f := &follow{
			log: s.log.With("etcd", cl.config.Endpoints, "prefix", c.Prefix), kept: fileOf(s.state, &c.Cluster, c.Prefix), after: s.timing.save,
			end: end, ended: make(chan struct{}),
		}
		f.status.From = from(c)
		f.status.Since = time.Now()
		f.recall()
		go func() {
			defer close(f.ended)
			cl.watch(ctx, keys{c.Prefix, true}, f)
		}()
		return f
	})
}

// part ends a join.
func (s *Clusters) part(c *cluster, prefix string, f *follow) {
	if c.follows.Leave(prefix) {
		f.end()
		<-f.ended
		f.save()
	}
	s.leave(c)
}

// recall takes what is on disk for what is known.
func (f *follow) recall() {
	said, err := load(f.kept)
	if err != nil {
		f.log.Error("stored instances can't be read from disk", "error", err)
	}
	if said == nil {
		return
	}
	f.set, f.known = said.set(), true
	f.cluster, f.revision = said.Cluster, said.Revision
	f.status.Stored, f.status.Read = true, said.Read
	f.log.Info("using stored instances until etcd can be read", "instances", len(f.set), "read", said.Read, "age", time.Since(said.Read).Round(time.Second))
}

// known returns the instances that are known of a prefix, without a request: from
// another upstream's follower, or from disk.
func (s *Clusters) known(c *config.Etcd) []upstream.Instance {
	var f *follow
	if cl, ok := s.all.Find(c.Cluster.Same()); ok {
		f, _ = cl.follows.Find(c.Prefix)
	}
	if f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.set.instances()
	}
	if said, err := load(fileOf(s.state, &c.Cluster, c.Prefix)); err == nil && said != nil {
		return said.set().instances()
	}
	return nil
}

// replace implements [reader].
func (f *follow) replace(all []*mvccpb.KeyValue, revision int64, cluster uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known && (cluster != f.cluster || revision < f.revision) {
		f.log.Warn("etcd's revision went backwards: another store, or an older state of it; using what it says now", "revision", revision, "before", f.revision)
	}
	next := f.set.replaced(all)
	same := f.known && slices.EqualFunc(next, f.set, func(a, b entry) bool { return a.key == b.key && a.value == b.value })
	f.set, f.known, f.cluster, f.revision = next, true, cluster, revision
	if !f.status.Live {
		f.log.Info("watching instances", "instances", len(next), "revision", revision)
		f.status.Since = time.Now()
	}
	f.status.Live, f.status.Stored, f.status.Read, f.status.Err = true, false, time.Time{}, ""
	if same {
		f.status.Revision = revision
		return
	}
	f.changed()
}

// change implements [reader].
func (f *follow) change(events []*clientv3.Event, revision int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revision = revision
	f.status.Revision = revision
	if f.set.change(events) {
		f.changed()
	}
}

// failed implements [reader].
func (f *follow) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.status.Live || f.status.Err == "" {
		f.log.Warn("etcd can't be read; keeping the known instances", "instances", len(f.set), "error", err)
		f.status.Since = time.Now()
	}
	f.status.Live, f.status.Err = false, err.Error()
}

// count implements [reader].
func (f *follow) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.set)
}

// changed gives the new set to all listeners, and saves it.
func (f *follow) changed() {
	f.status.Revision = f.revision
	f.status.Wrong = f.set.wrong()
	for _, wrong := range f.status.Wrong {
		if !slices.Contains(f.wrong, wrong) {
			f.log.Warn("a value isn't a valid instance; using the others", "key", wrong)
		}
	}
	f.wrong = f.status.Wrong
	for _, tell := range f.tell {
		(*tell)(f.set.instances())
	}
	if f.kept != nil && f.saving == nil {
		f.saving = time.AfterFunc(f.after, f.save)
	}
}

// save writes what is known to disk, unless it is there.
func (f *follow) save() {
	f.mu.Lock()
	if f.saving == nil {
		f.mu.Unlock()
		return
	}
	f.saving.Stop()
	f.saving = nil
	said := savedStateOf(f.set, f.status.From, f.cluster, f.revision)
	f.mu.Unlock()
	if err := f.kept.Save(said); err != nil {
		f.log.Error("instances can't be stored on disk: after a restart they are unknown until etcd is read", "error", err)
	}
}

// listen calls update with the instances, now and whenever they change, until the
// function that it returns is called.
func (f *follow) listen(update func([]upstream.Instance)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell = append(f.tell, &update)
	if f.known {
		update(f.set.instances())
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.tell = slices.DeleteFunc(f.tell, func(t *func([]upstream.Instance)) bool { return t == &update })
	}
}

// look returns how following goes.
func (f *follow) look() upstream.SourceStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}
