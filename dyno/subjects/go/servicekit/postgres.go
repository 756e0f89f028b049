package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgres is a PostgreSQL server, over one connection.
type postgres struct {
	url  string
	conn *pgx.Conn // nil before the first use, and after an error
}

// connected returns the connection.
func (p *postgres) connected(ctx context.Context) (*pgx.Conn, error) {
	if p.conn != nil && !p.conn.IsClosed() {
		return p.conn, nil
	}
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return nil, err
	}
	p.conn = conn
	return conn, nil
}

func (p *postgres) ready(ctx context.Context) error {
	conn, err := p.connected(ctx)
	if err != nil {
		return err
	}
	return conn.Ping(ctx)
}

// run executes SQL, of which there may be several statements (the simple protocol).
func (p *postgres) run(ctx context.Context, text string) error {
	conn, err := p.connected(ctx)
	if err != nil {
		return err
	}
	results, err := conn.PgConn().Exec(ctx, text).ReadAll()
	done := 0
	for _, result := range results {
		if result.Err == nil {
			done++
		}
	}
	return located(text, done, err)
}

// located says where in the text the server found an error: in which line, or if it
// doesn't tell, as of a violated constraint, in which statement after those that are done.
func located(text string, done int, err error) error {
	var found *pgconn.PgError
	if !errors.As(err, &found) {
		return err
	}
	if found.Detail != "" {
		err = fmt.Errorf("%w: %s", err, found.Detail)
	}
	if found.Position == 0 {
		return fmt.Errorf("statement %d: %w", done+1, err)
	}
	characters := []rune(text)
	before := characters[:min(int(found.Position)-1, len(characters))]
	return fmt.Errorf("line %d: %w", 1+strings.Count(string(before), "\n"), err)
}

func (p *postgres) version(ctx context.Context) (version string, err error) {
	conn, err := p.connected(ctx)
	if err != nil {
		return "", err
	}
	err = conn.QueryRow(ctx, "SHOW server_version").Scan(&version)
	return version, err
}

func (p *postgres) do(ctx context.Context, what string, args map[string]string) error {
	conn, err := p.connected(ctx)
	if err != nil {
		return err
	}
	name := func(arg string) string { return pgx.Identifier{args[arg]}.Sanitize() }
	switch what {
	case "create":
		_, err = conn.Exec(ctx, "CREATE DATABASE "+name("database"))
	case "keep": // as it is now, under another name
		_, err = conn.Exec(ctx, "CREATE DATABASE "+name("as")+" TEMPLATE "+name("database"))
	case "reset":
		if _, err = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name("database")+" WITH (FORCE)"); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "CREATE DATABASE "+name("database")+" TEMPLATE "+name("from"))
	case "caught-up":
		return caughtUp(ctx, conn, args["primary"])
	default:
		return fmt.Errorf("PostgreSQL has no %q", what)
	}
	return err
}

// behindError is that a replica lacks so many bytes of its primary's log.
type behindError int64

func (e behindError) Error() string {
	return fmt.Sprintf("it has not caught up: it is %d bytes behind", int64(e))
}

// caughtUp waits until this server, a replica, has replayed what the primary had written
// when it was asked.
func caughtUp(ctx context.Context, replica *pgx.Conn, primary string) error {
	conn, err := pgx.Connect(ctx, primary)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var written string
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&written); err != nil {
		return err
	}
	var behind int64
	for {
		err := replica.QueryRow(ctx, "SELECT pg_wal_lsn_diff($1::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0'))::bigint", written).Scan(&behind)
		switch {
		case ctx.Err() != nil:
			return behindError(behind)
		case err != nil:
			return err
		case behind <= 0:
			return nil
		}
		select {
		case <-ctx.Done():
			return behindError(behind)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// statistics is what is read in each window, in one round trip. Backends report their
// counts once a second at most.
const statistics = `SELECT
 (SELECT sum(xact_commit) FROM pg_stat_database)::float8,
 (SELECT sum(xact_rollback) FROM pg_stat_database)::float8,
 (SELECT sum(tup_fetched) FROM pg_stat_database)::float8,
 (SELECT sum(tup_inserted + tup_updated + tup_deleted) FROM pg_stat_database)::float8,
 (SELECT sum(blks_hit) FROM pg_stat_database)::float8,
 (SELECT sum(blks_read) FROM pg_stat_database)::float8,
 (SELECT sum(temp_bytes) FROM pg_stat_database)::float8,
 (SELECT sum(deadlocks) FROM pg_stat_database)::float8,
 (SELECT sum(sessions) FROM pg_stat_database)::float8,
 (SELECT wal_bytes FROM pg_stat_wal)::float8,
 (SELECT wal_sync FROM pg_stat_wal)::float8,
 (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8,
 (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active')::float8,
 (SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock')::float8,
 CASE WHEN pg_is_in_recovery()
  THEN pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
  ELSE (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)) FROM pg_stat_replication) END::float8,
 pg_is_in_recovery()`

func (p *postgres) read(ctx context.Context) (r reading, err error) {
	conn, err := p.connected(ctx)
	if err != nil {
		return r, err
	}
	counters := []string{"commits", "rollbacks", "rows_fetched", "rows_written", "blocks_hit", "blocks_read", "temp_bytes", "deadlocks", "sessions", "wal_bytes", "wal_syncs"}
	gauges := []string{"connections", "active", "waiting_for_locks"}
	values := make([]*float64, len(counters)+len(gauges)+1)
	var targets []any
	for i := range values {
		targets = append(targets, &values[i])
	}
	var replica bool
	if err := conn.QueryRow(ctx, statistics).Scan(append(targets, &replica)...); err != nil {
		return r, err
	}
	r = reading{Counters: make(map[string]float64), Gauges: make(map[string]float64)}
	take := func(into map[string]float64, name string, value *float64) {
		if value != nil {
			into[name] = *value
		}
	}
	for i, name := range counters {
		take(r.Counters, name, values[i])
	}
	for i, name := range gauges {
		take(r.Gauges, name, values[len(counters)+i])
	}
	lag := "replicas_behind_bytes"
	if replica {
		lag = "to_replay_bytes"
	}
	take(r.Gauges, lag, values[len(values)-1])
	return r, nil
}
