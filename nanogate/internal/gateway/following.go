//go:build linux

package gateway

import (
	"context"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/upstream"
)

// following are routes and upstreams that stand elsewhere.
type following struct {
	key   string // of what is followed
	from  discovery.Configuration
	end   context.CancelFunc
	ended chan struct{} // closed when nothing is followed any more, and what is known is on disk
	first chan struct{} // closed when the first document has arrived
	told  sync.Once
}

// followedPatience is how long a start waits for the documents of sources until it
// serves what the file says without them.
const followedPatience = 5 * time.Second

// follow starts to follow the source that a configuration names, unless it is followed
// already. It ends the previous one. g.changing is held, or g isn't published yet.
func (g *Gateway) follow(c *config.Config) {
	key := ""
	driver, asked := discovery.RouteDriverOf(c)
	if asked {
		key = driver.Same(c)
	}
	if g.followed != nil && g.followed.key == key {
		return
	}
	if old := g.unfollow(); old != nil {
		old.end()
	}
	if !asked {
		g.mu.Lock()
		g.more, g.bound = nil, nil
		g.mu.Unlock()
		return
	}
	from, err := driver.Open(c, g.builder.Found)
	if err != nil {
		g.log.Error("the source of routes can't be watched; serving only the file's routes", "error", err)
		return
	}
	f := &following{key: key, from: from, ended: make(chan struct{}), first: make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	f.end = end
	g.mu.Lock()
	g.followed = f
	g.mu.Unlock()
	go func() {
		defer close(f.ended)
		if err := from.Follow(ctx, func(d discovery.Document) error { return g.tell(f, d) }); err != nil {
			g.log.Error("the source of routes isn't watched any more; keeping the known routes", "from", from.Status().From, "error", err)
		}
	}()
}

// unfollow detaches the source that is followed; nil: there is none. The caller ends
// it.
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
	if f := g.unfollow(); f != nil {
		f.end()
		return f.ended
	}
	done := make(chan struct{})
	close(done)
	return done
}

// tell takes the source's current document.
func (g *Gateway) tell(f *following, d discovery.Document) error {
	if d.Addition == nil {
		g.bind(f, d.Certificates)
		return nil
	}
	return g.add(f, d.Addition)
}

// await waits for what stands elsewhere, for so long at most.
func (g *Gateway) await(patience time.Duration) {
	if g.followed == nil {
		return
	}
	select {
	case <-g.followed.first:
	case <-time.After(patience):
		g.log.Warn("the source of routes hasn't responded yet; serving only the file's routes until it does", "from", g.followed.from.Status().From)
	}
}

// add serves routes and upstreams beside the file's, in place of those before.
func (g *Gateway) add(f *following, more *config.Addition) error {
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

// bind has certificates that stand elsewhere shown to clients that connect from now on.
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

// whole is a configuration merged with the source's document.
func (g *Gateway) whole(c *config.Config) (*config.Config, error) {
	g.mu.Lock()
	more := g.more
	g.mu.Unlock()
	if _, asked := c.RouteSource(); !asked || more == nil {
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
	return f.from.Status(), true
}
