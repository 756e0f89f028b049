package bounds

import (
	"sync/atomic"
	"time"
)

// Few lets what others can cause as often as they like be done a hundred times a second.
type Few struct {
	second atomic.Int64
	done   atomic.Int64
}

const most = 100

// Takes reports whether it may be done once more. now is in ns.
func (f *Few) Takes(now int64) bool {
	if second := now / int64(time.Second); f.second.Swap(second) != second {
		f.done.Store(0)
	}
	return f.done.Add(1) <= most
}
