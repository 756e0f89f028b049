package netconn

import (
	"log/slog"
	"sync"
	"time"
)

// ThrottledLog logs what clients can cause as often as they like: a line a second, with
// the number of those left out.
type ThrottledLog struct {
	mu   sync.Mutex
	last time.Time
	left int
}

func (r *ThrottledLog) Log(to *slog.Logger, message string, args ...any) {
	r.mu.Lock()
	now := time.Now()
	if now.Sub(r.last) < time.Second {
		r.left++
		r.mu.Unlock()
		return
	}
	left := r.left
	r.last, r.left = now, 0
	r.mu.Unlock()
	to.Warn(message, append(args, "left_out", left)...)
}
