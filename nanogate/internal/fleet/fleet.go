// Package fleet is what gateways beside each other have in common: how much of a rate they
// have admitted together, and who was logged out by an identity provider. What keeps it is a
// driver, which registers itself when its package is linked in.
package fleet

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/driver"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/oidc"
)

// Driver is a kind of store. What it opens connects when it is first used; a file that can't
// be read is an error.
type Driver struct {
	// Ledger opens the ledger of a limit, which has the same name at all gateways.
	Ledger func(name string, rate *config.Rate) (limit.Ledger, error)
	// Logouts opens what gateways tell each other of a client's logouts by. The client has the
	// same name at all gateways. Each logout is kept for so long, and so many of them.
	Logouts func(rules *config.Redis, name string, keep time.Duration, most int, log *slog.Logger) (oidc.LogoutBus, error)
}

// store is the field that asks for the only kind there is.
const store = "redis"

var drivers driver.Kind[Driver]

// Register makes a driver known under the field that asks for it. It is for the init of the
// driver's package.
func Register(name string, d Driver) { drivers.Register(name, d) }

// Ledger is [Driver.Ledger] of the driver that the rate asks for. That it isn't linked in is
// a [config.Problem].
func Ledger(name string, rate *config.Rate) (limit.Ledger, error) {
	d, linked := drivers.Find(store)
	if !linked {
		return nil, missing(rate.Redis.At)
	}
	return d.Ledger(name, rate)
}

// Logouts is [Driver.Logouts] of the driver that the rules ask for. That it isn't linked in
// is a [config.Problem].
func Logouts(rules *config.OIDC, name string, keep time.Duration, most int, log *slog.Logger) (oidc.LogoutBus, error) {
	d, linked := drivers.Find(store)
	if !linked {
		return nil, missing(rules.RedisAt)
	}
	return d.Logouts(&rules.Redis, name, keep, most, log)
}

// Missing says where a configuration asks for a driver that isn't linked in.
func Missing(c *config.Config) (problems config.Problems) {
	if _, linked := drivers.Find(store); linked {
		return nil
	}
	for _, r := range c.Routes {
		for i := range r.Rates {
			if rules := r.Rates[i].Redis; rules != nil {
				problems = append(problems, missing(rules.At))
			}
		}
		if r.OIDC != nil && r.OIDC.Redis.Address != "" {
			problems = append(problems, missing(r.OIDC.RedisAt))
		}
	}
	return problems
}

func missing(at config.At) config.Problem {
	return at.Problem("import "+driver.Import(store), "this program can't share anything by Redis, as nothing that does is linked in")
}
