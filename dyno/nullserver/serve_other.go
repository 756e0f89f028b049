//go:build !linux

package nullserver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Serve needs Linux.
func Serve(context.Context, string, int) error {
	return fmt.Errorf("the null server, on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
