package main

import (
	"context"
	"time"
)

// wait waits for a moment before something is tried again.
func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}
