package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"shopkit"
)

// The steps, in order. Each is one change of the step before.
const (
	naive   = "naive"   // an ORM, a query for each product of a page, connections as they come
	pool    = "pool"    // as many connections as the database can serve, which are kept
	queries = "queries" // a page is one prepared statement, a search has an index, an order's lines go together
	cache   = "cache"   // what was found is kept in Redis
	local   = "local"   // and in the memory of the process, where one request asks for all
)

var steps = []string{naive, pool, queries, cache, local}

// orders are a store of orders.
type orders interface {
	Place(ctx context.Context, customer int64, lines []shopkit.Line) (*shopkit.Order, error)
	Order(ctx context.Context, id int64) (*shopkit.Order, error)
}

// version is the shop at one step.
type version struct {
	catalogue shopkit.Catalogue
	baskets   shopkit.Baskets
	orders    orders

	backends *shopkit.Backends
	std      *sql.DB // of the ORM, where there is one
}

func open(ctx context.Context, getenv func(string) string) (*version, error) {
	step := getenv("SHOP_STEP")
	if step == "" {
		step = naive
	}
	at := slices.Index(steps, step)
	if at < 0 {
		return nil, fmt.Errorf("SHOP_STEP: %q is none of %s", step, strings.Join(steps, ", "))
	}
	config, err := shopkit.ConfigOf(getenv)
	if err != nil {
		return nil, err
	}
	b, err := shopkit.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	v := &version{backends: b, baskets: shopkit.Baskets{Redis: b.Redis}}
	if at < slices.Index(steps, queries) {
		err = v.byORM(config, step == pool)
	} else {
		err = v.byQueries(at)
	}
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// byORM has all queries made by GORM, as its guide opens it, but that it logs nothing.
func (v *version) byORM(c shopkit.Config, bounded bool) error {
	db, err := gorm.Open(postgres.Open(c.Database), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		return err
	}
	if v.std, err = db.DB(); err != nil {
		return err
	}
	// database/sql opens a connection for whatever finds none idle, and keeps two, unless told otherwise.
	if bounded {
		v.std.SetMaxOpenConns(c.Connections)
		v.std.SetMaxIdleConns(c.Connections)
	}
	v.catalogue, v.orders = ormCatalogue{db}, ormOrders{db}
	return nil
}

// byQueries has them made by hand, with the caches of the step before them.
func (v *version) byQueries(at int) (err error) {
	v.orders, v.catalogue = shopkit.Orders{Pool: v.backends.Database}, shopkit.Stored{Pool: v.backends.Database}
	if at >= slices.Index(steps, cache) {
		v.catalogue = shopkit.Shared{Of: v.catalogue, Redis: v.backends.Redis}
	}
	if at >= slices.Index(steps, local) {
		v.catalogue, err = shopkit.NewLocal(v.catalogue)
	}
	return err
}

func (v *version) close() {
	if v.std != nil {
		v.std.Close()
	}
	v.backends.Close()
}

// checkout makes an order of a basket and waits until Kafka has the event.
func (v *version) checkout(ctx context.Context, customer int64, p shopkit.Purchase) (*shopkit.Order, error) {
	basket, err := v.baskets.Take(ctx, customer)
	if err != nil {
		return nil, err
	}
	lines := shopkit.Merged(basket, p.Lines)
	if len(lines) == 0 {
		return nil, shopkit.ErrEmptyBasket
	}
	order, err := v.orders.Place(ctx, customer, lines)
	if err != nil {
		_ = v.baskets.Add(context.WithoutCancel(ctx), customer, basket...) // the first error is what is reported
		return nil, err
	}
	record, err := shopkit.Record(order)
	if err != nil {
		return nil, err
	}
	return order, v.backends.Kafka.ProduceSync(ctx, record).FirstErr()
}
