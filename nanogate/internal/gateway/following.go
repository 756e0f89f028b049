//go:build linux

package gateway

import (
	"fmt"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/kubernetes/gatewayapi"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream"
)

// following are routes and upstreams that stand in Kubernetes.
type following struct {
	key      string // of what is followed
	follower *gatewayapi.Follower
	first    chan struct{} // closed when it has been told for the first time
	told     sync.Once
}

// followedPatience is how long a start waits for what stands in Kubernetes, until it
// serves what the file alone says.
const followedPatience = 5 * time.Second

// follow begins to follow what a configuration names, unless it is followed already. It
// ends what was followed before. g.changing is held, or nobody knows g yet.
func (g *Gateway) follow(c *config.Config) {
	key := ""
	if c.Kubernetes != nil {
		plain, tls, secrets := 0, 0, 0
		for _, l := range c.Listen {
			switch {
			case l.TLS == nil:
				plain = 1
			case l.TLS.Kubernetes:
				tls, secrets = 1, 1
			default:
				tls = 1
			}
		}
		key = fmt.Sprint(c.Kubernetes.Text, c.Dir, plain, tls, secrets, gatewayapi.Ports(c), c.Identity)
	}
	if g.followed != nil && g.followed.key == key {
		return
	}
	if old := g.unfollow(); old != nil {
		go old.follower.Close() // it may be waiting for this change to end
	}
	if key == "" {
		g.mu.Lock()
		g.more, g.bound = nil, nil
		g.mu.Unlock()
		return
	}
	f := &following{key: key, first: make(chan struct{})}
	ready := make(chan struct{}) // until f is whole
	f.follower = gatewayapi.Follow(c, gatewayapi.Options{
		Clusters: g.builder.Kubernetes, Log: g.log,
		Apply: func(more []byte) error {
			<-ready
			return g.add(f, more)
		},
		Certify: func(all []secure.Bound) {
			<-ready
			g.bind(f, all)
		},
	})
	g.mu.Lock()
	g.followed = f
	g.mu.Unlock()
	close(ready)
}

// unfollow takes out what is followed; nil: nothing is. Who calls it closes it.
func (g *Gateway) unfollow() *following {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.followed
	g.followed = nil
	return f
}

// abandon ends following, without waiting for a change that is under way: ended says when
// that is done and what is known is on disk.
func (g *Gateway) abandon() (ended <-chan struct{}) {
	done := make(chan struct{})
	f := g.unfollow()
	if f == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		f.follower.Close()
	}()
	return done
}

// await waits for what stands in Kubernetes, for so long at most.
func (g *Gateway) await(patience time.Duration) {
	if g.followed == nil {
		return
	}
	select {
	case <-g.followed.first:
	case <-time.After(patience):
		g.log.Warn("what stands in Kubernetes isn't known yet: the file alone is served until it is")
	}
}

// add serves routes and upstreams beside the file's, in place of those before.
func (g *Gateway) add(f *following, more []byte) error {
	defer f.told.Do(func() { close(f.first) })
	g.changing.Lock()
	defer g.changing.Unlock()
	g.mu.Lock()
	current, started := g.followed == f, g.proxy != nil
	g.mu.Unlock()
	switch {
	case !current:
		return nil // another one is followed by now
	case started:
		c, err := g.base.With(more)
		if err != nil {
			return err
		}
		if _, err := g.swap(0, c); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.more = more // a gateway that is about to start takes them then
	return nil
}

// bind has certificates of Secrets shown to clients that connect from now on.
func (g *Gateway) bind(f *following, all []secure.Bound) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.followed != f {
		return // another one is followed by now
	}
	g.bound = all
	for _, l := range g.listening {
		l.bind(all)
	}
}

// whole is a configuration with what stands in Kubernetes.
func (g *Gateway) whole(c *config.Config) (*config.Config, error) {
	g.mu.Lock()
	more := g.more
	g.mu.Unlock()
	if c.Kubernetes == nil || more == nil {
		return c, nil
	}
	return c.With(more)
}

// RoutesFrom says how following routes goes; false: none are followed.
func (g *Gateway) RoutesFrom() (upstream.SourceStatus, bool) {
	g.mu.Lock()
	f := g.followed
	g.mu.Unlock()
	if f == nil {
		return upstream.SourceStatus{}, false
	}
	return f.follower.Status(), true
}
