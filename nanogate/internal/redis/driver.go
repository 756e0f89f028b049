// Package redis keeps what gateways beside each other have in common in a Redis server: it
// is the driver of [fleet] under the field of that name.
package redis

import (
	"log/slog"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/fleet"
	"dyno.example/nanogate/internal/limit"
	"dyno.example/nanogate/internal/oidc"
)

func init() {
	fleet.Register("redis", fleet.Driver{
		Ledger: func(name string, rate *config.Rate) (limit.Ledger, error) { return NewLedger(name, rate) },
		Logouts: func(rules *config.Redis, name string, keep time.Duration, most int, log *slog.Logger) (oidc.LogoutBus, error) {
			return NewLogouts(rules, name, keep, most, log)
		},
	})
}
