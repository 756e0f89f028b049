package main

import (
	"context"
	"database/sql"
	"net/http"
	"time"
)

// pool is database/sql's, with the settings that a study varies.
type pool struct {
	*sql.DB
	wait, hold time.Duration
}

func openPool(s settings) (*pool, error) {
	db, err := sql.Open("pgx", s.database)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(s.maxOpen)
	db.SetMaxIdleConns(min(s.maxIdle, s.maxOpen)) // 0 keeps none
	// One connection is there before the first request, which may wait for it less long than
	// opening one takes.
	if err := db.Ping(); err != nil {
		db.Close()
		return nil, err
	}
	return &pool{db, s.wait, s.hold}, nil
}

// serve waits for a connection as long as it may, and has the server work for a while. A
// request that gets no connection in time is refused: database/sql has no setting for that but
// the context's deadline.
func (p *pool) serve(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if p.wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, p.wait)
		defer cancel()
		ctx = waiting
	}
	conn, err := p.Conn(ctx)
	if err != nil {
		http.Error(w, "no connection in time", http.StatusServiceUnavailable)
		return
	}
	defer conn.Close()
	var sum int
	err = conn.QueryRowContext(r.Context(), "SELECT (SELECT sum(amount) FROM orders WHERE customer = 42) FROM pg_sleep($1)", p.hold.Seconds()).Scan(&sum)
	respond(w, "found", err)
}
