package main

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lag asks how far a replica is behind, while transactions are written in the background.
type lag struct {
	primary, replica *pgxpool.Pool
	stop             context.CancelFunc
	writers          sync.WaitGroup
	n                atomic.Int64
}

// openLag connects to both, and starts the writers.
func openLag(ctx context.Context, s settings) (*lag, error) {
	l := &lag{}
	var err error
	if l.primary, err = pgxPool(ctx, s.database, pgx.QueryExecModeCacheStatement); err != nil {
		return nil, err
	}
	if l.replica, err = pgxPool(ctx, s.replica, pgx.QueryExecModeCacheStatement); err != nil {
		l.primary.Close()
		return nil, err
	}
	writing, cancel := context.WithCancel(ctx)
	l.stop = cancel
	if s.writes > 0 {
		l.write(writing, s)
	}
	return l, nil
}

func (l *lag) close() {
	l.stop()
	l.writers.Wait()
	l.primary.Close()
	l.replica.Close()
}

// writers is how many connections write: together they commit in groups, as the clients of
// a busy database do.
const writers = 16

// write commits so many transactions a second, on a schedule: a writer that is late makes
// up for it.
func (l *lag) write(ctx context.Context, s settings) {
	c, err := pgxpool.ParseConfig(s.database)
	if err != nil {
		return
	}
	c.MaxConns = writers
	every := time.Duration(writers) * time.Second / time.Duration(s.writes)
	began := time.Now()
	for i := range writers {
		l.writers.Go(func() {
			conn, err := pgx.ConnectConfig(ctx, c.ConnConfig)
			if err != nil {
				return
			}
			defer conn.Close(context.Background())
			for n := 0; ; n++ {
				due := began.Add(time.Duration(n)*every + time.Duration(i)*every/writers)
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				if _, err := conn.Exec(ctx, "INSERT INTO orders (customer, status, amount, note) VALUES ($1, 'open', 1, repeat('y', 100))", n%500); err != nil {
					return
				}
			}
		})
	}
}

// routes adds what is asked: a transaction; the same, and until a reader of the replica
// sees it; the same by the position in the log; a read.
func (l *lag) routes(mux *http.ServeMux) {
	for path, do := range map[string]func(context.Context) error{
		"read": l.read, "commit": func(ctx context.Context) error { _, err := l.commit(ctx); return err },
		"visible": l.visible, "replayed": l.replayed,
	} {
		mux.HandleFunc("GET /lag/"+path, func(w http.ResponseWriter, r *http.Request) { respond(w, "done", do(r.Context())) })
	}
}

func (l *lag) read(ctx context.Context) error {
	var n int64
	return l.replica.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM marks").Scan(&n)
}

// commit writes a mark and returns its id.
func (l *lag) commit(ctx context.Context) (id int64, err error) {
	err = l.primary.QueryRow(ctx, "INSERT INTO marks (n) VALUES ($1) RETURNING id", l.n.Add(1)).Scan(&id)
	return id, err
}

// visible waits until a snapshot of the replica has the mark. It asks at once and again
// each 250 µs, so that it is late by that and half a round trip.
func (l *lag) visible(ctx context.Context) error {
	id, err := l.commit(ctx)
	if err != nil {
		return err
	}
	return l.until(ctx, "SELECT EXISTS (SELECT 1 FROM marks WHERE id = $1)", id)
}

// replayed waits until the replica has replayed the log up to where the mark was written.
func (l *lag) replayed(ctx context.Context) error {
	if _, err := l.commit(ctx); err != nil {
		return err
	}
	var at string
	if err := l.primary.QueryRow(ctx, "SELECT pg_current_wal_lsn()::text").Scan(&at); err != nil {
		return err
	}
	return l.until(ctx, "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn", at)
}

func (l *lag) until(ctx context.Context, query string, arg any) error {
	conn, err := l.replica.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	for {
		var there bool
		if err := conn.QueryRow(ctx, query, arg).Scan(&there); err != nil || there {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Microsecond):
		}
	}
}
