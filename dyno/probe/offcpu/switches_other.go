//go:build !linux

package offcpu

import (
	"errors"
	"fmt"
)

// Watcher watches processes, which only Linux has us do.
type Watcher struct{}

// Start fails.
func Start([]int) (*Watcher, error) {
	return nil, fmt.Errorf("watching threads leave the CPU, on this system: %w", errors.ErrUnsupported)
}

// Stop has nothing to return.
func (*Watcher) Stop() *Seen { return &Seen{} }
