// Package driver keeps what a program has by an import of its own: drivers, each under the
// name of what asks for it in a configuration. They register themselves when their packages
// are linked in, as those of database/sql do.
package driver

import (
	"fmt"
	"sync"
)

// Kind are the drivers of one kind that are linked in. Its zero value has none, and it may be
// used by several goroutines at once.
type Kind[T any] struct {
	mu  sync.RWMutex
	all map[string]T
}

// Register makes a driver known under its name. It is for the init of the driver's package; a
// second one of a name is a panic.
func (k *Kind[T]) Register(name string, d T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, twice := k.all[name]; twice || name == "" {
		panic(fmt.Sprintf("driver: a driver needs a name of its own, and %q is none", name))
	}
	if k.all == nil {
		k.all = map[string]T{}
	}
	k.all[name] = d
}

// Find returns the driver of a name; false: it isn't linked in.
func (k *Kind[T]) Find(name string) (d T, linked bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	d, linked = k.all[name]
	return d, linked
}

// Missing says that a program can't do something, as the driver of a name isn't linked in, and
// how it would be.
func Missing(what, name string) error {
	return fmt.Errorf("this program can't %s, as nothing that does is linked in (import %s)", what, Import(name))
}

// Import is the package that brings the driver of a name.
func Import(name string) string { return "dyno.example/nanogate/with/" + name }
