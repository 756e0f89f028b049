package shopkit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Order is what a customer has bought.
type Order struct {
	ID       int64     `json:"id"`
	Customer int64     `json:"customer"`
	Cents    int64     `json:"cents"` // of all lines
	Made     time.Time `json:"made"`
	Lines    []Line    `json:"lines"`
}

// Teller tells others of an order, in the transaction that makes it.
type Teller interface {
	Tell(ctx context.Context, tx pgx.Tx, o *Order) error
}

// Orders are in PostgreSQL.
type Orders struct {
	Pool   *pgxpool.Pool
	Teller Teller // nil for nobody to tell
}

// Place takes the lines from the stock and makes an order of them, or none of it. Lines are
// in the order of their products, so that orders don't wait for each other in a circle.
func (s Orders) Place(ctx context.Context, customer int64, lines []Line) (*Order, error) {
	o := &Order{Customer: customer}
	err := inTx(ctx, s.Pool, func(tx pgx.Tx) error {
		o.Cents, o.Lines = 0, o.Lines[:0]
		if err := take(ctx, tx, o, lines); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "INSERT INTO orders (customer, cents) VALUES ($1, $2) RETURNING id, made", customer, o.Cents).Scan(&o.ID, &o.Made); err != nil {
			return err
		}
		return s.finish(ctx, tx, o)
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// take lowers the stock, all lines in one round trip, and adds them to o with their prices.
func take(ctx context.Context, tx pgx.Tx, o *Order, lines []Line) error {
	var batch pgx.Batch
	for _, l := range lines {
		batch.Queue("UPDATE products SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING cents", l.Product, l.Quantity).QueryRow(func(row pgx.Row) error {
			err := row.Scan(&l.Cents)
			if errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("product %d: %w", l.Product, ErrSoldOut)
			}
			o.Lines = append(o.Lines, l)
			o.Cents += l.Cents * int64(l.Quantity)
			return err
		})
	}
	return tx.SendBatch(ctx, &batch).Close()
}

// finish writes the lines of an order, and tells of it.
func (s Orders) finish(ctx context.Context, tx pgx.Tx, o *Order) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"order_lines"}, []string{"order_id", "product", "quantity", "cents"},
		pgx.CopyFromSlice(len(o.Lines), func(i int) ([]any, error) {
			l := o.Lines[i]
			return []any{o.ID, l.Product, l.Quantity, l.Cents}, nil
		}))
	if err != nil || s.Teller == nil {
		return err
	}
	return s.Teller.Tell(ctx, tx, o)
}

// Order returns an order, with its lines.
func (s Orders) Order(ctx context.Context, id int64) (*Order, error) {
	o := &Order{ID: id}
	var batch pgx.Batch
	batch.Queue("SELECT customer, cents, made FROM orders WHERE id = $1", id).QueryRow(func(row pgx.Row) error {
		return row.Scan(&o.Customer, &o.Cents, &o.Made)
	})
	batch.Queue("SELECT product, quantity, cents FROM order_lines WHERE order_id = $1 ORDER BY product", id).Query(func(rows pgx.Rows) (err error) {
		o.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Line])
		return err
	})
	err := s.Pool.SendBatch(ctx, &batch).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("order %d: %w", id, ErrNotFound)
	}
	return o, err
}
