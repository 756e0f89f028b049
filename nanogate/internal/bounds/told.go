package bounds

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// Told is when something was last said that others can cause as often as they like: it
// is said once a second, with how often it was left out.
type Told struct {
	at   atomic.Int64
	left atomic.Int64
}

// Warn logs, unless it has within the last second. now is in ns.
func (t *Told) Warn(to *slog.Logger, now int64, message string, args ...any) {
	t.Say(to, slog.LevelWarn, now, message, args...)
}

// Say is [Told.Warn] at another level.
func (t *Told) Say(to *slog.Logger, level slog.Level, now int64, message string, args ...any) {
	last := t.at.Load()
	if last != 0 && now-last < int64(time.Second) || !t.at.CompareAndSwap(last, now) {
		t.left.Add(1)
		return
	}
	to.Log(context.Background(), level, message, append(args, "left_out", t.left.Swap(0))...)
}
