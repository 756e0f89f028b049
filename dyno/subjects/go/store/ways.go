package main

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Order is a row of the table orders, for all libraries.
type Order struct {
	ID       int64 `gorm:"primaryKey"`
	Customer int
	Status   string
	Amount   int
	Note     string
	Made     time.Time
}

// The query of all ways: the last ten orders of a customer that are not tiny.
const (
	query    = "SELECT id, customer, status, amount, note, made FROM orders WHERE customer = $1 AND status = $2 AND amount > $3 ORDER BY id DESC LIMIT 10"
	customer = 42
	status   = "paid"
	amount   = 1
)

// connections is how many each way may have.
const connections = 16

// ways are the libraries, each with a pool of its own as its guide makes one.
type ways struct {
	pgx       *pgxpool.Pool
	unnamed   *pgxpool.Pool // parses and plans each time
	std       *sql.DB
	prepared  *sql.Stmt
	sqlx      *sqlx.DB
	gorm      *gorm.DB
	gormReady *gorm.DB // with PrepareStmt
}

func openWays(ctx context.Context, database string) (w *ways, err error) {
	w = &ways{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.pgx, err = pgxPool(ctx, database, pgx.QueryExecModeCacheStatement); err != nil {
		return w, err
	}
	if w.unnamed, err = pgxPool(ctx, database, pgx.QueryExecModeExec); err != nil {
		return w, err
	}
	if w.std, err = sql.Open("pgx", database); err != nil {
		return w, err
	}
	bounded(w.std)
	if w.prepared, err = w.std.PrepareContext(ctx, query); err != nil {
		return w, err
	}
	if w.sqlx, err = sqlx.Open("pgx", database); err != nil {
		return w, err
	}
	bounded(w.sqlx.DB)
	if w.gorm, err = openGORM(database, false); err != nil {
		return w, err
	}
	w.gormReady, err = openGORM(database, true)
	return w, err
}

func pgxPool(ctx context.Context, database string, mode pgx.QueryExecMode) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, err
	}
	c.MaxConns, c.ConnConfig.DefaultQueryExecMode = connections, mode
	return pgxpool.NewWithConfig(ctx, c)
}

// openGORM is GORM as its guide opens it, but that it logs nothing.
func openGORM(database string, prepare bool) (*gorm.DB, error) {
	db, err := gorm.Open(postgres.Open(database), &gorm.Config{Logger: logger.Discard, PrepareStmt: prepare})
	if err != nil {
		return nil, err
	}
	std, err := db.DB()
	if err != nil {
		return nil, err
	}
	bounded(std)
	return db, nil
}

func bounded(db *sql.DB) {
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
}

func (w *ways) close() {
	for _, p := range []*pgxpool.Pool{w.pgx, w.unnamed} {
		if p != nil {
			p.Close()
		}
	}
	if w.std != nil {
		w.std.Close()
	}
	if w.sqlx != nil {
		w.sqlx.Close()
	}
	for _, g := range []*gorm.DB{w.gorm, w.gormReady} {
		if g == nil {
			continue
		}
		if std, err := g.DB(); err == nil {
			std.Close()
		}
	}
}

// routes adds a route for each way. All respond with the number of orders found, or, those
// that only build, with the length of the SQL's variables.
func (w *ways) routes(mux *http.ServeMux) {
	for path, find := range map[string]func(context.Context) ([]Order, error){
		"pgx":           w.byPGX(w.pgx),
		"pgx-unnamed":   w.byPGX(w.unnamed),
		"prepared":      w.byPrepared,
		"sqlx":          w.bySQLX,
		"gorm":          byGORM(w.gorm),
		"gorm-prepared": byGORM(w.gormReady),
	} {
		mux.HandleFunc("GET /query/"+path, func(rw http.ResponseWriter, r *http.Request) {
			orders, err := find(r.Context())
			respond(rw, strconv.Itoa(len(orders)), err)
		})
	}
	mux.HandleFunc("GET /query/none", func(rw http.ResponseWriter, _ *http.Request) { respond(rw, "10", nil) })
	mux.HandleFunc("GET /query/build", func(rw http.ResponseWriter, r *http.Request) {
		var orders []Order
		built := chained(w.gorm.Session(&gorm.Session{DryRun: true, Context: r.Context()}), &orders)
		respond(rw, strconv.Itoa(len(built.Statement.Vars)+6), built.Error)
	})
}

func (w *ways) byPGX(pool *pgxpool.Pool) func(context.Context) ([]Order, error) {
	return func(ctx context.Context) ([]Order, error) {
		rows, err := pool.Query(ctx, query, customer, status, amount)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowToStructByPos[Order])
	}
}

func (w *ways) byPrepared(ctx context.Context) (orders []Order, err error) {
	rows, err := w.prepared.QueryContext(ctx, customer, status, amount)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var o Order
		if err := rows.Scan(&o.ID, &o.Customer, &o.Status, &o.Amount, &o.Note, &o.Made); err != nil {
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, rows.Err()
}

func (w *ways) bySQLX(ctx context.Context) (orders []Order, err error) {
	err = w.sqlx.SelectContext(ctx, &orders, query, customer, status, amount)
	return orders, err
}

func byGORM(db *gorm.DB) func(context.Context) ([]Order, error) {
	return func(ctx context.Context) (orders []Order, err error) {
		err = chained(db.WithContext(ctx), &orders).Error
		return orders, err
	}
}

// chained is the query as GORM's users write it.
func chained(db *gorm.DB, orders *[]Order) *gorm.DB {
	return db.Where("customer = ?", customer).Where("status = ?", status).Where("amount > ?", amount).Order("id DESC").Limit(10).Find(orders)
}
