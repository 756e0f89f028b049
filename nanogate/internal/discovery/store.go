package discovery

import (
	"context"
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
)

// StoreDriver is what a command does with a store of keys, beside what a gateway finds there.
type StoreDriver struct {
	// Check reads what a cluster is logged in to with, as a login does. It connects to nobody.
	Check func(*config.EtcdCluster) error
	// Configuration is the one that stands under a key. s has the connections that a gateway's
	// upstreams use too. It connects to nobody before it is followed.
	Configuration func(s *Set, c *config.EtcdCluster, key string) (Configuration, error)
	// CheckRegistration says what is wrong with a registration.
	CheckRegistration func(*Registration) error
	// Register keeps an instance registered until ctx ends, and takes it out then. An error
	// says that it could not be taken out. ready is called whenever it has been registered.
	Register func(ctx context.Context, r *Registration, ready func()) error
}

// Registration is an instance that stands below a prefix as long as it lives.
type Registration struct {
	Cluster config.EtcdCluster
	Prefix  string // ends with a slash; the key is the prefix and the address
	Address string // host:port
	Weight  int    // 0 is 1
	Zone    string
	TTL     time.Duration // after which it expires unless it is kept alive; whole seconds
	Log     *slog.Logger  // nil: it says nothing
}

var stores driver.Kind[StoreDriver]

// RegisterStore is [Register] for a store of keys.
func RegisterStore(name string, d StoreDriver) { stores.Register(name, d) }

// StoreOf is the store of that name; an error says which import would link it in.
func StoreOf(name string) (StoreDriver, error) {
	d, linked := stores.Find(name)
	if !linked {
		return d, driver.Missing("ask "+name, name)
	}
	return d, nil
}

// Local is a store of keys within this process, to try discovery out.
type Local interface {
	Where() string        // host:port that clients connect to
	Failed() <-chan error // receives why it has stopped, unless it was stopped
	Close()
}

// LocalDriver starts such a store. It is much that most programs don't need, so it is linked
// in by an import of its own.
type LocalDriver struct {
	CheckListen func(address string) error // says what is wrong with an address to listen on
	Start       func(dir, listen string) (Local, error)
}

var locals driver.Kind[LocalDriver]

// RegisterLocal is [Register] for a store within this process.
func RegisterLocal(name string, d LocalDriver) { locals.Register(name, d) }

// LocalOf is the one of that name; an error says which import would link it in.
func LocalOf(name string) (LocalDriver, error) {
	d, linked := locals.Find(name)
	if !linked {
		return d, driver.Missing("run "+name+" in its own process", "embedded"+name)
	}
	return d, nil
}
