package state

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// Instances keeps the instances that a source has found. A nil Instances keeps nothing.
// It may be used by several goroutines at once.
type Instances struct {
	file  *File
	later *DelayedSaver
	from  string

	mu   sync.Mutex
	last []upstream.Instance // that were given; nil: none yet
	at   time.Time           // when they were handed on to be saved
}

// Instances returns a store of a source's instances under keys; from names the source for
// readers of the file. [Instances.Close] ends it.
func (d *Dir) Instances(log *slog.Logger, from, kind string, keys ...string) *Instances {
	if d == nil {
		return nil
	}
	file := d.File(kind, keys...)
	return &Instances{file: file, later: file.DelayedSaver(log), from: from}
}

// savedState is the content of the file.
type savedState struct {
	Version   int        `json:"version"`
	From      string     `json:"from"` // for human readers
	Read      time.Time  `json:"read"` // when it was so
	Instances []instance `json:"instances"`
}

// instance is one as it is kept.
type instance struct {
	Address  string `json:"address"`
	Protocol string `json:"protocol,omitempty"` // "https", "h2c"; "": http
	Weight   int    `json:"weight"`
	Zone     string `json:"zone,omitempty"`
}

const (
	savedStateVersion = 1
	mostInstances     = 10_000
	mostWeight        = 1000
)

// again is how long a file isn't rewritten while nothing changes: its age is right
// within that.
const again = time.Hour

// Recall reads the instances as they were known, and when they were; nil if nothing is
// known of them.
func (k *Instances) Recall() (all []upstream.Instance, read time.Time, err error) {
	if k == nil {
		return nil, read, nil
	}
	var s savedState
	if there, err := k.file.Load(&s); err != nil || !there {
		return nil, read, err
	}
	if s.Version != savedStateVersion {
		return nil, read, fmt.Errorf("%s: expected version %d, got %d", k.file.path, savedStateVersion, s.Version)
	}
	all = make([]upstream.Instance, 0, min(len(s.Instances), mostInstances))
	for _, one := range s.Instances[:cap(all)] {
		made, err := one.instance()
		if err != nil {
			return nil, read, fmt.Errorf("%s: %w", k.file.path, err)
		}
		all = append(all, made)
	}
	return all, s.Read, nil
}

func (i *instance) instance() (made upstream.Instance, err error) {
	if made.Address, err = config.ParseAddress(i.Address); err != nil {
		return made, err
	}
	made.Address.TLS, made.Address.HTTP2 = i.Protocol == "https", i.Protocol == "h2c"
	made.Weight, made.Zone = min(max(1, i.Weight), mostWeight), i.Zone
	return made, nil
}

func instanceOf(i *upstream.Instance) instance {
	made := instance{Address: i.Address.String(), Weight: i.Weight, Zone: i.Zone}
	switch {
	case i.Address.TLS:
		made.Protocol = "https"
	case i.Address.HTTP2:
		made.Protocol = "h2c"
	}
	return made
}

// Keep has instances kept which a source has read just now: soon if they are others than
// before, and else now and then, for the time. They may be none; they aren't changed any
// more.
func (k *Instances) Keep(all []upstream.Instance) {
	if k == nil {
		return
	}
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last != nil && now.Sub(k.at) < again && slices.Equal(all, k.last) {
		return
	}
	if k.last, k.at = all, now; all == nil {
		k.last = []upstream.Instance{}
	}
	s := &savedState{Version: savedStateVersion, From: k.from, Read: now.UTC(), Instances: make([]instance, 0, len(all))}
	for i := range all {
		s.Instances = append(s.Instances, instanceOf(&all[i]))
	}
	k.later.Save(s)
}

// Close saves what isn't saved yet.
func (k *Instances) Close() {
	if k != nil {
		k.later.Close()
	}
}
