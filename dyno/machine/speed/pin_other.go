//go:build !linux

package speed

import (
	"errors"
	"fmt"
)

// onEach would call do on each of the CPUs in turn. Unpinned, the work would show the
// speed of an unknown CPU.
func onEach([]int, func(cpu int)) error {
	return fmt.Errorf("pinning a thread to a CPU, on this system: %w", errors.ErrUnsupported)
}
