package acme

import (
	"crypto/x509"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"
)

func TestWhenToRenew(t *testing.T) {
	const day = 24 * time.Hour
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name          string
		life, advised time.Duration // advised: 0: nothing is
		want          time.Duration
	}{
		{"90 days", 90 * day, 0, 60 * day},
		{"47 days", 48 * day, 0, 32 * day},
		{"6 days", 6 * day, 0, 3 * day},
		{"an hour", time.Hour, 0, 30 * time.Minute},
		{"advised sooner", 90 * day, 5 * day, 5 * day},
		{"advised later", 90 * day, 80 * day, 80 * day},
		{"advised too late", 90 * day, 89 * day, 81 * day},
	} {
		leaf := &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: start, NotAfter: start.Add(c.life)}
		a := advice{serial: "7"}
		if c.advised > 0 {
			a.info.SuggestedWindow.Start, a.info.SuggestedWindow.End = start.Add(c.advised-time.Hour), start.Add(c.advised+time.Hour)
			a.info.SelectedTime = start.Add(c.advised)
		}
		if got := a.renewal(leaf).Sub(start); got != c.want {
			t.Errorf("%s: after %v, want %v", c.name, got, c.want)
		}
		if a.serial = "8"; a.renewal(leaf).After(start.Add(c.life - c.life/3 + time.Hour)) {
			t.Errorf("%s: what was advised of another certificate counts", c.name)
		}
	}
}

// The waits between tries grow to a bound, spread, and keep to what Let's Encrypt allows:
// five failed checks of a name an hour.
func TestBackOff(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now, tried := start, tries{}
	inAnHour := 0
	for i := range 20 {
		if now.Sub(start) < time.Hour {
			inAnHour++
		}
		next := tried.another(now)
		wait := next.Next.Sub(now)
		if base := backOff[min(i, len(backOff)-1)]; next.Failures != i+1 || wait < base || wait > base+base/10 {
			t.Errorf("after %d failures: %v", i, wait)
		}
		if !next.wait(now) || next.wait(next.Next) {
			t.Errorf("%+v", next)
		}
		tried, now = next, next.Next
	}
	if inAnHour > 5 {
		t.Errorf("%d tries in the first hour", inAnHour)
	}
	if (tries{Failures: 1, Next: now.Add(1000 * time.Hour)}).wait(now) {
		t.Error("what a wrong clock has written is waited for")
	}
	limited := refusal(errors.Join(errors.New("x"), acme.Problem{Type: acme.ProblemTypeRateLimited}), now)
	if other := refusal(acme.Problem{Type: acme.ProblemTypeDNS}, now); !limited.Equal(now.Add(time.Hour)) || !other.Equal(now) {
		t.Errorf("%v %v", limited, other)
	}
}
