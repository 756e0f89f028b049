package snapshot

// Allowance bounds retries to a share of the requests of late, so that they can't
// multiply what an upstream that fails has to do. Each loop has its own of a route:
// it isn't for several goroutines.
type Allowance struct {
	left float64
	at   int64
	_    [48]byte // the next one is another loop's cache line
}

const (
	fewest = 10.0 // retries a second that are always allowed, and how many can be saved up of them
	most   = 100.0
)

// Earn counts a request; share is of how many one may be retried.
func (a *Allowance) Earn(share float64) {
	if a.left < most {
		a.left += share
	}
}

// Spend reports whether one more retry is within the budget, and counts it. now is in
// ns.
func (a *Allowance) Spend(now int64) bool {
	if a.at == 0 {
		a.left += fewest
	} else if a.left < fewest {
		a.left = min(fewest, a.left+float64(now-a.at)/1e9*fewest)
	}
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
