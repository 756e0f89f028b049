//go:build !linux

package busy

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
)

// owners are not known here.
func owners([]netip.AddrPort) ([]int, error) {
	return nil, fmt.Errorf("whose a listening socket is can be read on Linux only, not on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
