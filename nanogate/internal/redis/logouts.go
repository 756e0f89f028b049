package redis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/oidc"
)

// Logouts is an [oidc.LogoutBus] in a Redis server (5 or newer): a stream, which a gateway
// that was cut off reads on from where it was, and a new one from the beginning.
type Logouts struct {
	client  *redis.Client
	key     string
	address string
	timeout time.Duration
	keep    time.Duration // since the last one
	most    int64
	log     *slog.Logger
	ctx     context.Context
	stop    context.CancelFunc
}

const (
	mostRead  = 1000            // logouts in one reply
	waitNext  = 5 * time.Second // for the next one
	pauseAway = time.Second     // after a failure
)

// NewLogouts makes the board of one client, which has the same name at all gateways. Each
// logout is kept for so long, and so many of them. It connects when it is first used. A
// password's file that can't be read is an error.
func NewLogouts(rules *config.Redis, name string, keep time.Duration, most int, log *slog.Logger) (*Logouts, error) {
	o, err := optionsOf(rules)
	if err != nil {
		return nil, err
	}
	o.PoolSize = 3 // one of them waits for the next logout
	l := &Logouts{client: redis.NewClient(o), key: rules.Prefix + "logouts:" + name, address: rules.Address, timeout: rules.Timeout, keep: keep, most: int64(most), log: log}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l, nil
}

// Tell adds a logout to the stream.
func (l *Logouts) Tell(ctx context.Context, one oidc.Logout) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAdd(ctx, &redis.XAddArgs{Stream: l.key, MaxLen: l.most, Values: []any{"who", hex.EncodeToString(one.Subject[:]), "at", one.At, "until", one.Until}})
		p.Expire(ctx, l.key, l.keep)
		return nil
	})
	if err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}

// Follow reads the stream until it is closed. While Redis is away it tries again.
func (l *Logouts) Follow(heard func(oidc.Logout)) {
	last, away := "0", false
	for l.ctx.Err() == nil {
		streams, err := l.client.XRead(l.ctx, &redis.XReadArgs{Streams: []string{l.key, last}, Count: mostRead, Block: waitNext}).Result()
		if err != nil && !errors.Is(err, redis.Nil) { // Nil: there was none meanwhile
			if !away && l.ctx.Err() == nil {
				away = true
				l.log.Warn("the store of logouts is away: logouts that other gateways are told of aren't known here", "address", l.address, "error", err)
			}
			select {
			case <-l.ctx.Done():
			case <-time.After(pauseAway):
			}
			continue
		}
		if away {
			away = false
			l.log.Info("the store of logouts is back", "address", l.address)
		}
		for _, stream := range streams {
			for _, message := range stream.Messages {
				last = message.ID
				if one, ok := logoutOf(message.Values); ok {
					heard(one)
				}
			}
		}
	}
}

// logoutOf reads what [Logouts.Tell] wrote.
func logoutOf(values map[string]any) (one oidc.Logout, ok bool) {
	text := func(name string) string { s, _ := values[name].(string); return s }
	who, err := hex.DecodeString(text("who"))
	if err != nil || len(who) != len(one.Subject) {
		return one, false
	}
	one.Subject = oidc.Mark(who)
	if one.At, err = strconv.ParseInt(text("at"), 10, 64); err != nil {
		return one, false
	}
	one.Until, err = strconv.ParseInt(text("until"), 10, 64)
	return one, err == nil
}

// Close ends following.
func (l *Logouts) Close() {
	l.stop()
	_ = l.client.Close() // a reading that waits ends with it
}
