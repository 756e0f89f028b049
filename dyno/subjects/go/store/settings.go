package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// settings are what studies vary, from the environment.
type settings struct {
	database, replica string
	maxOpen, maxIdle  int           // of /pool
	wait              time.Duration // how long a request waits for a connection of it; 0 for ever
	hold              time.Duration // how long a request keeps one in the server
	writes            int           // transactions a second in the background
}

func settingsOf(getenv func(string) string) (s settings, err error) {
	s = settings{database: getenv("DATABASE_URL"), replica: getenv("DATABASE_REPLICA_URL"), maxOpen: 20, maxIdle: 10, wait: time.Second, hold: 2 * time.Millisecond}
	if s.database == "" {
		return s, errors.New("DATABASE_URL is not set: dyno sets it to PostgreSQL's address")
	}
	for name, to := range map[string]*int{"POOL_MAX_OPEN": &s.maxOpen, "POOL_MAX_IDLE": &s.maxIdle, "LAG_WRITES": &s.writes} {
		if text := getenv(name); text != "" {
			if *to, err = strconv.Atoi(text); err != nil || *to < 0 || *to > 100_000 {
				return s, fmt.Errorf("%s: expected a number from 0 to 100000, got %q", name, text)
			}
		}
	}
	for name, to := range map[string]*time.Duration{"POOL_WAIT_MS": &s.wait, "POOL_HOLD_MS": &s.hold} {
		if text := getenv(name); text != "" {
			ms, err := strconv.ParseFloat(text, 64)
			if err != nil || !(ms >= 0 && ms <= 600_000) {
				return s, fmt.Errorf("%s: expected milliseconds from 0 to 600000, got %q", name, text)
			}
			*to = time.Duration(ms * float64(time.Millisecond))
		}
	}
	return s, nil
}

// schema is there once, whoever comes first.
const schema = `
SELECT pg_advisory_lock(7351);
CREATE TABLE IF NOT EXISTS orders (id bigserial PRIMARY KEY, customer int NOT NULL, status text NOT NULL, amount int NOT NULL, note text NOT NULL, made timestamptz NOT NULL DEFAULT now());
CREATE INDEX IF NOT EXISTS orders_customer ON orders (customer, status, id);
CREATE TABLE IF NOT EXISTS marks (id bigserial PRIMARY KEY, n bigint NOT NULL);
INSERT INTO orders (customer, status, amount, note) SELECT i % 500, CASE i % 3 WHEN 0 THEN 'open' ELSE 'paid' END, i % 97, repeat('x', 40) FROM generate_series(1, 30000) i WHERE NOT EXISTS (SELECT 1 FROM orders);
SELECT pg_advisory_unlock(7351);`

// fill makes the tables and fills them.
func fill(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, schema).ReadAll(); err != nil {
		return fmt.Errorf("filling the database: %w", err)
	}
	_, err = conn.Exec(ctx, "ANALYZE orders")
	return err
}
