//go:build linux

package etcd

import (
	"context"
	"path/filepath"
	"testing"
)

// A document is told as it is and as it changes, with failures once, and the last good
// one is known without etcd.
func TestDocument(t *testing.T) {
	t.Parallel()
	c := clean(t, "/config")
	n := between(t, server(t))
	d := clusters(filepath.Join(t.TempDir(), "state")).Document(&at(n.address(), "").Cluster, "/config")
	told := make(chan Version)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Watch(ctx, func(v Version) {
			select {
			case told <- v:
			case <-ctx.Done():
			}
		})
	}()
	defer func() { cancel(); <-ended }()
	away := false
	is := func(text string, there bool) Version {
		t.Helper()
		v := <-told
		if v.Err != nil && !away { // which is reported once: a busy machine may not respond in time
			v = <-told
		}
		away = false
		if v.Text != text || v.There != there || v.Err != nil || v.Revision == 0 {
			t.Fatalf("%+v, want %q", v, text)
		}
		return v
	}
	is("", false)
	put(t, c, "/config", "one", "/config2", "another")
	good := is("one", true)
	if last, err := d.Last(); last.There || err != nil {
		t.Errorf("before one was kept: %+v, %v", last, err)
	}
	if err := d.Keep(good); err != nil {
		t.Fatal(err)
	}
	n.set(true)
	if v := <-told; v.Err == nil {
		t.Fatalf("%+v", v)
	}
	away = true
	put(t, c, "/config", "two")
	n.set(false)
	is("two", true)
	remove(t, c, "/config")
	is("", false)
	if last, err := d.Last(); last != good || err != nil {
		t.Errorf("%+v, %v, want %+v", last, err, good)
	}
}
