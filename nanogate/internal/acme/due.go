package acme

import (
	"context"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mholt/acmez/v3/acme"
)

// advice is what the authority says about when to renew a certificate (ARI, RFC 9773).
type advice struct {
	serial   string // of the certificate that it is about
	info     acme.RenewalInfo
	askAgain time.Time
}

// RFC 9773 4.3.2 has clients bound a server's Retry-After.
const (
	soonestAsked = time.Minute
	latestAsked  = 24 * time.Hour
	askedFailing = time.Hour // after a failure
)

// pollRenewalInfo requests from the authority when to renew a certificate (RFC 9773),
// if that is due.
func (i *issuer) pollRenewalInfo(ctx context.Context, d *domain, leaf *x509.Certificate) {
	now := i.options.Now()
	if serial := leaf.SerialNumber.String(); d.advice.serial != serial {
		d.advice = advice{serial: serial}
	}
	if now.Before(d.advice.askAgain) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, i.options.RenewalInfoTimeout)
	defer cancel()
	info, err := i.account.client.GetRenewalInfo(ctx, leaf)
	if err != nil {
		d.advice.askAgain = now.Add(askedFailing)
		if errors.Is(err, acme.ErrUnsupported) {
			d.advice.askAgain = now.Add(latestAsked)
		}
		return // what it said before stays; if that is nothing, our own rule holds
	}
	wait := latestAsked
	if info.RetryAfter != nil {
		wait = min(max(soonestAsked, time.Until(*info.RetryAfter)), latestAsked)
	}
	d.advice.askAgain = now.Add(wait)
	if d.advice.info.SameWindow(info) {
		return // the time within it was chosen once
	}
	if d.advice.info = info; info.ExplanationURL != "" {
		i.log.Warn("the authority says when to renew a certificate, and why", "name", d.look().Name, "at", info.SelectedTime, "why", info.ExplanationURL)
	}
}

// renewal is when a certificate is renewed: when the authority says so, else when a
// third of its life is left, or half of one that is shorter than ten days. A window that
// ends too late to try again is not waited for.
func (a *advice) renewal(leaf *x509.Certificate) time.Time {
	life := leaf.NotAfter.Sub(leaf.NotBefore)
	if a.info.HasWindow() && a.serial == leaf.SerialNumber.String() {
		if last := leaf.NotAfter.Add(-life / 10); a.info.SelectedTime.After(last) {
			return last
		}
		return a.info.SelectedTime
	}
	left := life / 3
	if life < 10*24*time.Hour {
		left = life / 2
	}
	return leaf.NotAfter.Add(-left)
}

// tries counts orders of a certificate since the last success.
type tries struct {
	Failures int       `json:"failures"`
	Next     time.Time `json:"next"`
	Err      string    `json:"error,omitempty"`
}

// backOff is how long is waited after the first failure, the second, and so on. Let's
// Encrypt allows five failed checks of a name an hour.
var backOff = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour}

// another counts one more.
func (t tries) another(now time.Time) tries {
	wait := backOff[min(t.Failures, len(backOff)-1)]
	wait += time.Duration(rand.Int64N(int64(wait / 10))) // gateways and names that failed together don't try together
	return tries{Failures: t.Failures + 1, Next: now.Add(wait), Err: t.Err}
}

// wait reports whether it is too early for another try. What a clock that was wrong has
// put far away is not waited for.
func (t tries) wait(now time.Time) bool {
	return now.Before(t.Next) && t.Next.Sub(now) <= 2*backOff[len(backOff)-1]
}

// rateLimited is how long is waited at least when the authority has had enough of us.
const rateLimited = time.Hour

// refusal is when an order that the authority has refused may be repeated at the
// soonest.
func refusal(err error, now time.Time) time.Time {
	if problem := (acme.Problem{}); errors.As(err, &problem) && problem.Type == acme.ProblemTypeRateLimited {
		return now.Add(rateLimited)
	}
	return now
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
