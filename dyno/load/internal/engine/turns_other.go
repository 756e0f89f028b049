//go:build !linux

package engine

import "context"

// Turns is an engine that takes turns, of which this system has none.
type Turns struct{}

// TakeTurns returns false: the portable engine connects again for each load.
func TakeTurns(Engine) (*Turns, bool) { return nil, false }

// Revive is never called.
func (*Turns) Revive() {}

// Load is never called.
func (*Turns) Load(context.Context, *Recorder, int64, int64, uint64) error { return nil }
