//go:build !linux

package busy

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
)

// owners says that it can't be told.
func owners([]netip.AddrPort) ([]int, error) {
	return nil, fmt.Errorf("whose a listening socket is can be read on Linux only, not on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
