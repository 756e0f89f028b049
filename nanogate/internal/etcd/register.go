package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"dyno.example/nanogate/internal/discovery"
)

// Registration is an instance that stands below a prefix as long as it lives.
type Registration discovery.Registration

// Run registers the instance and keeps it alive until ctx ends; then it takes it out.
// Whatever ends the lease meanwhile, it registers again. ready is called whenever it has
// been registered.
func (r *Registration) Run(ctx context.Context, ready func()) error {
	key, value, err := r.entry()
	if err != nil {
		return err
	}
	log := r.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := newCluster(&r.Cluster, usual)
	defer c.close()
	for failures := 0; ; {
		client, err := c.connected(ctx)
		if err == nil {
			err = r.once(ctx, c, client, key, value, func() { failures = 0; ready() })
		}
		if ctx.Err() != nil {
			return err // of taking it out
		}
		failures++
		if failures == 1 {
			log.Warn("registration lost; trying again", "key", key, "error", err)
		}
		if loginLost(err) || failures > 1 {
			c.discard(client)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(c.timing.pause(failures, rand.Float64())):
		}
	}
}

// Check says what is wrong with a registration.
func (r *Registration) Check() error {
	_, _, err := r.entry()
	return err
}

// entry is what is written.
func (r *Registration) entry() (key string, value []byte, err error) {
	in := instance{Weight: r.Weight, Zone: r.Zone}
	if in.Address, err = parseAddress(r.Address); err != nil {
		return "", nil, err
	}
	if r.Weight < 0 || r.Weight > 1000 {
		return "", nil, fmt.Errorf("expected a weight from 1 to 1000, got %d", r.Weight)
	}
	if r.TTL < time.Second || r.TTL%time.Second != 0 {
		return "", nil, fmt.Errorf("expected a TTL of whole seconds, got %s", r.TTL)
	}
	value, err = appendValue(in)
	return r.Prefix + in.Address.String(), value, err
}

// once registers, and keeps the lease until it or ctx ends.
func (r *Registration) once(ctx context.Context, c *cluster, client *clientv3.Client, key string, value []byte, ready func()) error {
	var lease *clientv3.LeaseGrantResponse
	if err := c.bounded(ctx, func(ctx context.Context) (err error) {
		lease, err = client.Grant(ctx, int64(r.TTL/time.Second))
		return err
	}); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	put := func(ctx context.Context) error {
		_, err := client.Put(ctx, key, string(value), clientv3.WithLease(lease.ID))
		return err
	}
	err := c.bounded(ctx, put)
	var kept <-chan *clientv3.LeaseKeepAliveResponse
	if err == nil {
		kept, err = client.KeepAlive(ctx, lease.ID)
	}
	if err != nil {
		revoked := r.revoke(c, client, lease.ID)
		if ctx.Err() != nil { // it was ended: the put may have been done or not
			return revoked
		}
		return errors.Join(plain(err), revoked)
	}
	ready()
	for range kept {
		// Each response is a lease that was renewed.
	}
	if ctx.Err() != nil {
		return r.revoke(c, client, lease.ID)
	}
	return errors.New("the lease has ended")
}

// revoke takes out what the lease holds.
func (r *Registration) revoke(c *cluster, client *clientv3.Client, lease clientv3.LeaseID) error {
	return c.bounded(context.Background(), func(ctx context.Context) error {
		_, err := client.Revoke(ctx, lease)
		return err
	})
}
