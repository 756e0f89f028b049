package etcd

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// reader receives the content of etcd.
type reader interface {
	// replace gives all keys at a revision. cluster is etcd's id of the cluster.
	replace(all []*mvccpb.KeyValue, revision int64, cluster uint64)
	// change gives later events, in order.
	change(events []*clientv3.Event, revision int64)
	// failed says that the content may be outdated, and why: it can't be read.
	failed(err error)
	// count is how many keys there are by what it has received.
	count() int
}

// mostKeys bounds how many keys are read of one prefix.
const mostKeys = 10_000

// keys is what of a cluster is read: one key, or all below a prefix.
type keys struct {
	name   string
	prefix bool
}

func (k keys) options(more ...clientv3.OpOption) []clientv3.OpOption {
	if k.prefix {
		more = append(more, clientv3.WithPrefix())
	}
	return more
}

// errBehind: etcd has another number of keys than the reader.
var errBehind = errors.New("there are other keys than was told")

// watch gives r the content and its changes, until ctx ends: it reads all, watches from
// that revision on, and begins again when the watch ends, for whatever reason.
func (c *cluster) watch(ctx context.Context, k keys, r reader) {
	for failures := 0; ctx.Err() == nil; {
		client, err := c.connected(ctx)
		if err == nil {
			err = c.once(ctx, client, k, r, func() { failures = 0 })
		}
		if ctx.Err() != nil {
			return
		}
		failures++
		// A compaction has removed what the watch would have reported, and a count that
		// differs shows that it missed something: both are mended by reading again. So
		// is what fails because another watch has discarded the client.
		discarded := client != nil && client.Ctx().Err() != nil
		if (errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, errBehind) || discarded) && failures == 1 {
			continue
		}
		r.failed(err)
		if loginLost(err) || failures > 1 {
			c.discard(client)
		}
		select {
		case <-ctx.Done():
		case <-time.After(c.timing.pause(failures, rand.Float64())):
		}
	}
}

// once reads all and watches until the watch ends. fine is called when all was read.
func (c *cluster) once(ctx context.Context, client *clientv3.Client, k keys, r reader, fine func()) error {
	var all *clientv3.GetResponse
	if err := c.bounded(ctx, func(ctx context.Context) (err error) {
		// Linearizable: a member that was cut off must not return an older state than
		// others did.
		all, err = client.Get(ctx, k.name, k.options(clientv3.WithLimit(mostKeys))...)
		return err
	}); err != nil {
		return err
	}
	r.replace(all.Kvs, all.Header.Revision, all.Header.ClusterId)
	fine()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	// Watch waits until there is a stream, which may be for ever: the checks go on.
	var events clientv3.WatchChan
	opened := make(chan clientv3.WatchChan, 1)
	go func() {
		opened <- client.Watch(ctx, k.name, k.options(clientv3.WithRev(all.Header.Revision+1), clientv3.WithFragment())...)
	}()
	checked := make(chan error, 1)
	check := time.NewTimer(c.untilCheck())
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case events = <-opened:
		case told, ok := <-events:
			if err := take(told, ok, events, r); err != nil {
				return plain(err)
			}
		case <-check.C:
			go func() { checked <- c.check(ctx, client, k, r) }()
		case err := <-checked:
			if err != nil {
				return err
			}
			check.Reset(c.untilCheck())
		}
	}
}

func (c *cluster) untilCheck() time.Duration {
	return c.timing.check/2 + time.Duration(rand.Float64()*float64(c.timing.check))
}

// take gives r a watch's events, together with those that have arrived meanwhile: many
// changes become one change of the set.
func take(told clientv3.WatchResponse, ok bool, events clientv3.WatchChan, r reader) error {
	var all []*clientv3.Event
	var revision int64
	for {
		err := told.Err()
		if !ok {
			err = errors.New("etcd has ended the watch")
		}
		if err == nil {
			all, revision = append(all, told.Events...), told.Header.Revision
		}
		more := false
		if err == nil && len(all) < mostKeys {
			select {
			case told, ok = <-events:
				more = true
			default:
			}
		}
		if more {
			continue
		}
		if len(all) > 0 {
			r.change(all, revision)
		}
		return err
	}
}

// check verifies that etcd is there and has as many keys as r. The watch alone says
// nothing while nothing changes, and nothing either while etcd is away.
func (c *cluster) check(ctx context.Context, client *clientv3.Client, k keys, r reader) error {
	var there *clientv3.GetResponse
	if err := c.bounded(ctx, func(ctx context.Context) (err error) {
		there, err = client.Get(ctx, k.name, k.options(clientv3.WithCountOnly())...)
		return err
	}); err != nil {
		return err
	}
	if min(there.Count, mostKeys) != int64(r.count()) {
		return errBehind
	}
	return nil
}
