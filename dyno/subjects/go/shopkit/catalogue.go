package shopkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Product is one that the shop sells.
type Product struct {
	ID          int64  `json:"id"`
	Category    int    `json:"category"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Cents       int64  `json:"cents"`
	InStock     bool   `json:"in_stock"`
}

// Query asks for one product, for the next page of a category, or for what has all words.
// Exactly one of Product, Words and InCategory is set.
type Query struct {
	Product    int64
	Words      string
	InCategory bool
	Category   int
	After      int64 // the last product of the page before
}

// Key is the same for the same query, and what caches have its result under.
func (q Query) Key() string {
	switch {
	case q.Product != 0:
		return fmt.Sprintf("product:%d", q.Product)
	case q.InCategory:
		return fmt.Sprintf("category:%d:%d", q.Category, q.After)
	}
	return "search:" + q.Words
}

// PageSize is how many products a page and a search have at most.
const PageSize = 20

// Catalogue finds products. The result is JSON, ready to be sent: a product, or an array of
// them. One that isn't there is ErrNotFound. It must not be changed.
type Catalogue interface {
	Find(ctx context.Context, q Query) ([]byte, error)
}

// Stored is the catalogue as PostgreSQL has it. pgx prepares each statement once for each connection.
type Stored struct{ Pool *pgxpool.Pool }

const columns = "SELECT id, category, name, description, cents, stock > 0 AS in_stock FROM products "

// Find implements Catalogue.
func (s Stored) Find(ctx context.Context, q Query) ([]byte, error) {
	if q.Product != 0 {
		return s.one(ctx, q.Product)
	}
	sql, args := columns+"WHERE words @@ plainto_tsquery('simple', $1) ORDER BY id LIMIT $2", []any{q.Words, PageSize}
	if q.InCategory {
		sql, args = columns+"WHERE category = $1 AND id > $2 ORDER BY id LIMIT $3", []any{q.Category, q.After, PageSize}
	}
	rows, err := s.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	products, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Product])
	if err != nil {
		return nil, err
	}
	return json.Marshal(products) // an empty slice, not nil: []
}

func (s Stored) one(ctx context.Context, id int64) ([]byte, error) {
	rows, err := s.Pool.Query(ctx, columns+"WHERE id = $1", id)
	if err != nil {
		return nil, err
	}
	product, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Product])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("product %d: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(product)
}
