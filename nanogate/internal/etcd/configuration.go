package etcd

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/upstream"
)

// Configuration is a whole configuration under one key.
type Configuration struct {
	document *Document
	name     string
	log      *slog.Logger

	mu     sync.Mutex
	status upstream.SourceStatus

	// Of the goroutine that follows.
	served bool   // one was
	text   string // of it
}

// Configuration makes the source of a configuration under a key. It opens no connection
// before it is followed.
func (s *Clusters) Configuration(c *config.EtcdCluster, key string) *Configuration {
	return &Configuration{
		document: s.Document(c, key), name: "etcd:" + key, log: s.log.With("configuration", "etcd:"+key),
		status: upstream.SourceStatus{From: "etcd " + strings.Join(c.Endpoints, ",") + " " + key, Since: time.Now()},
	}
}

// firstResponse is how long a start waits for etcd before it takes what is on disk.
const firstResponse = 5 * time.Second

// Follow implements [discovery.Configuration]. While etcd has nothing that can be served at
// first, that is the last good one on disk; while there is neither it waits.
func (f *Configuration) Follow(ctx context.Context, apply func(discovery.Document) error) error {
	told := make(chan Version)
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		f.document.Watch(ctx, func(v Version) {
			select {
			case told <- v:
			case <-ctx.Done():
			}
		})
	})
	late := time.NewTimer(firstResponse)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case v := <-told:
			f.take(v, apply)
		case <-late.C:
			if f.served {
				continue
			}
			f.log.Warn("etcd doesn't respond")
		}
		if !f.served && !f.recall(apply) && ctx.Err() == nil {
			f.log.Warn("waiting for a configuration that can be served")
		}
	}
}

// take has a version served. If it can't be, what was served goes on.
func (f *Configuration) take(v Version, apply func(discovery.Document) error) {
	f.note(v)
	good := f.served && v.Text == f.text
	switch {
	case v.Err != nil:
		good = false
		f.log.Warn("the configuration can't be read from etcd", "error", v.Err)
	case !v.There:
		good = false
		f.log.Warn("there is no configuration under that key", "revision", v.Revision)
	case !good:
		err := f.apply(v, apply)
		if good = err == nil; !good {
			f.log.Error("configuration rejected", "revision", v.Revision, "error", err)
		}
	}
	if !good {
		if f.served {
			f.log.Warn("keeping the previous configuration")
		}
		return
	}
	if err := f.document.Keep(v); err != nil {
		f.log.Error("the configuration can't be stored on disk: a start without etcd would have none", "error", err)
	}
}

func (f *Configuration) apply(v Version, apply func(discovery.Document) error) error {
	err := apply(discovery.Document{Name: f.name, Dir: ".", Text: []byte(v.Text), By: "etcd"})
	if err == nil {
		f.served, f.text = true, v.Text
	}
	return err
}

// recall has the last good configuration served that is on disk; false: there is none.
func (f *Configuration) recall(apply func(discovery.Document) error) bool {
	v, err := f.document.Last()
	if err != nil {
		f.log.Error("the stored configuration can't be read", "error", err)
	}
	if !v.There {
		return false
	}
	if err := f.apply(v, apply); err != nil {
		f.log.Error("the stored configuration was rejected", "revision", v.Revision, "error", err)
		return false
	}
	f.log.Warn("serving the stored configuration", "revision", v.Revision)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status.Stored, f.status.Revision = true, v.Revision
	return true
}

// note notes how following goes.
func (f *Configuration) note(v Version) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if live := v.Err == nil; f.status.Live != live {
		f.status.Live, f.status.Since = live, time.Now()
	}
	if f.status.Err = ""; v.Err != nil {
		f.status.Err = v.Err.Error()
		return
	}
	f.status.Stored, f.status.Revision = false, v.Revision
}

// Status implements [discovery.Configuration].
func (f *Configuration) Status() upstream.SourceStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}
