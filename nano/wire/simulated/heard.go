//go:build linux

package simulated

// hearing is what is done when the other end has so many bytes more.
type hearing struct {
	left int
	do   func()
}

// Heard has do called once, when the other end has got all that this one has said until now:
// what it has written and, if it is closed, its end; or when it is sure that it won't, as it
// is closed or was reset. Over a line with pieces that takes longer than [Line.Latest].
func (k *Socket) Heard(do func()) {
	if to := k.other; to.closed || to.dead || !k.dead && k.out.travelling() == 0 && k.out.fin == k.out.ended {
		do()
		return
	}
	k.heard = append(k.heard, hearing{k.out.travelling(), do})
}

// hears is when n bytes more have arrived.
func (k *Socket) hears(n int) {
	if len(k.heard) == 0 {
		return
	}
	waiting := k.heard
	k.heard = nil
	for _, h := range waiting {
		if h.left -= n; h.left > 0 || k.dead || k.out.fin != k.out.ended { // dead: a reset is on its way
			k.heard = append(k.heard, h)
			continue
		}
		h.do()
	}
}

// hearsAll is when nothing more arrives.
func (k *Socket) hearsAll() {
	waiting := k.heard
	k.heard = nil
	for _, h := range waiting {
		h.do()
	}
}
