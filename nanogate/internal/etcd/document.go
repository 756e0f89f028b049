package etcd

import (
	"context"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

// Document is the text under one key, such as a configuration.
type Document struct {
	clusters *Clusters
	config   *config.EtcdCluster
	key      string
	kept     *state.File
}

// Version is a document as etcd says it is.
type Version struct {
	Text     string
	There    bool  // else there is no such key
	Revision int64 // of the store when it was read or written
	Err      error // it can't be read now, and this is why; nothing else is said
}

// Document makes a watcher of a key. It opens no connection before it is watched.
func (s *Clusters) Document(c *config.EtcdCluster, key string) *Document {
	return &Document{s, c, key, fileOf(s.state, c, key)}
}

// Watch calls told with the document, at first and whenever it changes, until ctx ends,
// and once each time that it can't be read any more. told may block.
func (d *Document) Watch(ctx context.Context, told func(Version)) {
	cl := d.clusters.use(d.config)
	defer d.clusters.leave(cl)
	cl.watch(ctx, keys{name: d.key}, &documentReader{tell: told})
}

// Keep writes a version to disk as the last good one.
func (d *Document) Keep(v Version) error {
	return d.kept.Save(&savedState{Version: savedStateVersion, From: "etcd " + d.key, Read: time.Now().UTC(), Revision: v.Revision, Document: v.Text})
}

// Last returns the last good version; There is false if none is kept.
func (d *Document) Last() (Version, error) {
	s, err := load(d.kept)
	if err != nil || s == nil || s.Document == "" {
		return Version{}, err
	}
	return Version{Text: s.Document, There: true, Revision: s.Revision}, nil
}

// documentReader is a [reader] of one key.
type documentReader struct {
	tell    func(Version)
	last    Version // that could be read
	read    bool    // one could
	failing bool
	there   atomic.Int32 // keys: the watch reads it on another goroutine
}

func (r *documentReader) told(v Version) {
	if r.failing = false; r.read && v.There == r.last.There && v.Text == r.last.Text {
		return
	}
	r.last, r.read = v, true
	if r.there.Store(0); v.There {
		r.there.Store(1)
	}
	r.tell(v)
}

func (r *documentReader) replace(all []*mvccpb.KeyValue, revision int64, _ uint64) {
	v := Version{Revision: revision}
	if len(all) > 0 {
		v.Text, v.There = string(all[0].Value), true
	}
	r.told(v)
}

func (r *documentReader) change(events []*clientv3.Event, revision int64) {
	last := events[len(events)-1]
	r.told(Version{Text: string(last.Kv.Value), There: last.Type != clientv3.EventTypeDelete, Revision: revision})
}

func (r *documentReader) failed(err error) {
	if !r.failing {
		r.failing = true
		r.tell(Version{Err: err})
	}
}

func (r *documentReader) count() int { return int(r.there.Load()) }
