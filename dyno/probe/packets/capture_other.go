//go:build !linux

package packets

import (
	"errors"
	"fmt"
)

// Capture captures packets, which is for Linux only.
type Capture struct{}

// Start fails.
func Start(int) (*Capture, error) {
	return nil, fmt.Errorf("capturing packets, on this system: %w", errors.ErrUnsupported)
}

// Stop has nothing to return.
func (*Capture) Stop() ([]Packet, int, bool, error) { return nil, 0, false, nil }
