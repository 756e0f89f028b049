package redis

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/limit"
)

// Ledger is a [limit.Ledger] of one limit in a Redis server.
type Ledger struct {
	client *redis.Client
	prefix string // of the limit's keys
	every  time.Duration
	longs  time.Duration // the debt of one burst
	id     string        // of this gateway, as others see it
	peers  int

	keys []string
	args []any
}

// mostKeys bounds how many keys one call of the script has: it holds the server up
// while it runs.
const mostKeys = 500

// settle keeps each bucket as the time at which it is full again, in µs of the server's
// clock, so that the gateways' clocks needn't agree. A key's arguments are how many
// requests were admitted, the time that one takes, how long ago the first was, and what
// the debt may be at most: after a server's clock was set back, keys would be locked out
// otherwise. It returns each one's debt in ns.
var settle = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local ahead = {}
for i, key in ipairs(KEYS) do
  local n, every, age, most = tonumber(ARGV[4*i-3]), tonumber(ARGV[4*i-2]), tonumber(ARGV[4*i-1]), tonumber(ARGV[4*i])
  local full = math.max(tonumber(redis.call('GET', key) or '0'), now - age) + n * every
  full = math.min(full, now + most)
  if full > now then
    redis.call('SET', key, string.format('%.3f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
  end
  ahead[i] = math.floor((full - now) * 1000)
end
return ahead
`)

// present counts the gateways that have announced themselves in the last five seconds.
// An announcement later than now is from before the server's clock was set back.
var present = redis.NewScript(`
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - 5)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. time[1], '+inf')
redis.call('EXPIRE', KEYS[1], 60)
return redis.call('ZCARD', KEYS[1])
`)

// NewLedger makes the ledger of a limit, which has the same name at all gateways. It
// connects when it is first used. A password's file that can't be read is an error.
func NewLedger(name string, rate *config.Rate) (*Ledger, error) {
	rules := rate.Redis
	o, err := optionsOf(rules)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	every := max(1, rate.Per/time.Duration(rate.Requests))
	return &Ledger{
		client: redis.NewClient(o), prefix: rules.Prefix + name + ":", every: every,
		longs: time.Duration(rate.Burst) * every, id: hex.EncodeToString(id[:]), peers: 1,
	}, nil
}

// optionsOf is how a server is connected to. A password's file that can't be read is an
// error.
func optionsOf(rules *config.Redis) (*redis.Options, error) {
	o := &redis.Options{
		Network: "tcp", Addr: rules.Address, Username: rules.User, DB: rules.Database,
		PoolSize: 1, MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true, DisableIdentity: true,
		DialTimeout: rules.Timeout, ReadTimeout: rules.Timeout, WriteTimeout: rules.Timeout,
	}
	if path, ok := strings.CutPrefix(rules.Address, "unix:"); ok {
		o.Network, o.Addr = "unix", path
	}
	if rules.TLS {
		host, _, _ := net.SplitHostPort(rules.Address) // it was checked when it was read
		o.TLSConfig = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	}
	if rules.Password != "" {
		b, err := os.ReadFile(rules.Password)
		if err != nil {
			return nil, fmt.Errorf("redis: %w", err)
		}
		o.Password = string(bytes.TrimRight(b, "\r\n"))
	}
	return o, nil
}

// Settle settles entries, a few hundred at a time.
func (r *Ledger) Settle(ctx context.Context, entries []limit.Entry) error {
	for len(entries) > 0 {
		n := min(len(entries), mostKeys)
		if err := r.some(ctx, entries[:n]); err != nil {
			return fmt.Errorf("redis: %w", err)
		}
		entries = entries[n:]
	}
	return nil
}

func (r *Ledger) some(ctx context.Context, entries []limit.Entry) error {
	r.keys, r.args = r.keys[:0], r.args[:0]
	for i := range entries {
		e := &entries[i]
		most := time.Duration(r.peers+1)*r.longs + time.Duration(e.N)*r.every
		r.keys = append(r.keys, r.prefix+hex.EncodeToString(e.Key[:]))
		r.args = append(r.args, e.N, micros(r.every), micros(e.Age), micros(most))
	}
	ahead, err := settle.Run(ctx, r.client, r.keys, r.args...).Int64Slice()
	if err != nil {
		return err
	}
	if len(ahead) != len(entries) {
		return errors.New("the server's response doesn't fit the command")
	}
	for i, ns := range ahead {
		entries[i].Ahead = time.Duration(ns)
	}
	return nil
}

// micros writes a time in µs, with its ns.
func micros(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/1e3, 'f', 3, 64)
}

// Peers counts the gateways.
func (r *Ledger) Peers(ctx context.Context) (int, error) {
	n, err := present.Run(ctx, r.client, []string{r.prefix + "gateways"}, r.id).Int()
	if err != nil {
		return 0, fmt.Errorf("redis: %w", err)
	}
	r.peers = max(1, n)
	return r.peers, nil
}

// Close closes the connection.
func (r *Ledger) Close() { _ = r.client.Close() }
