package bounds

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// ThrottledLog logs what others can cause as often as they like: once a second, with how
// often it was left out.
type ThrottledLog struct {
	at   atomic.Int64
	left atomic.Int64
}

// Warn logs, unless it has within the last second. now is in ns.
func (t *ThrottledLog) Warn(to *slog.Logger, now int64, message string, args ...any) {
	t.Say(to, slog.LevelWarn, now, message, args...)
}

// Say is [ThrottledLog.Warn] at another level.
func (t *ThrottledLog) Say(to *slog.Logger, level slog.Level, now int64, message string, args ...any) {
	last := t.at.Load()
	if last != 0 && now-last < int64(time.Second) || !t.at.CompareAndSwap(last, now) {
		t.left.Add(1)
		return
	}
	to.Log(context.Background(), level, message, append(args, "left_out", t.left.Swap(0))...)
}
