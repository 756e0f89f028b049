// Package redisstore keeps sessions in Redis, for several servers, with go-redis.
//
//	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379"})
//	app.Use(session.New(session.Config{Store: redisstore.New(client, "shop:session:")}))
package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"dyno.example/nano/session"
)

// New returns a store that keeps each session under the prefix and its ID, as JSON, with
// Redis's own expiry. The client stays the caller's, with its time-outs.
func New(client redis.UniversalClient, prefix string) session.Store {
	return store{client, prefix}
}

type store struct {
	client redis.UniversalClient
	prefix string
}

func (s store) Load(ctx context.Context, id string) (map[string]string, error) {
	text, err := s.client.Get(ctx, s.prefix+id).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("loading a session from Redis: %w", err)
	}
	values := map[string]string{}
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("a session in Redis is not what was kept: %w", err)
	}
	return values, nil
}

func (s store) Save(ctx context.Context, id string, values map[string]string, keep time.Duration) error {
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	if err := s.client.Set(ctx, s.prefix+id, text, keep).Err(); err != nil {
		return fmt.Errorf("keeping a session in Redis: %w", err)
	}
	return nil
}

func (s store) Delete(ctx context.Context, id string) error {
	if err := s.client.Del(ctx, s.prefix+id).Err(); err != nil {
		return fmt.Errorf("deleting a session from Redis: %w", err)
	}
	return nil
}
