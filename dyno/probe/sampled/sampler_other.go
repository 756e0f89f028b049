//go:build !linux

package sampled

import (
	"errors"
	"fmt"
)

// Sampler samples all CPUs, which only Linux has us do.
type Sampler struct{}

// Start fails.
func Start(Config) (*Sampler, error) {
	return nil, fmt.Errorf("sampling the CPUs, on this system: %w", errors.ErrUnsupported)
}

// Stop has nothing to return.
func (*Sampler) Stop() ([]*Process, uint64) { return nil, 0 }
