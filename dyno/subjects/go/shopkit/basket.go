package shopkit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Line is how many of a product are in a basket, or were ordered.
type Line struct {
	Product  int64 `json:"product"`
	Quantity int   `json:"quantity"`
	Cents    int64 `json:"cents,omitempty"` // of an order: the price of one
}

// Check says what is wrong with a line that a client has sent, beginning with the field.
func (l Line) Check() error {
	switch {
	case l.Product < 1:
		return fmt.Errorf("product: must be positive, is %d", l.Product)
	case l.Quantity < 1 || l.Quantity > 100:
		return fmt.Errorf("quantity: must be 1 to 100, is %d", l.Quantity)
	}
	return nil
}

// basketFor is how long a basket is kept that nobody touches.
const basketFor = 24 * time.Hour

// Baskets are what customers are about to buy, in Redis: a hash for each, from products to
// quantities.
type Baskets struct{ Redis *redis.Client }

func basketKey(customer int64) string { return "basket:" + strconv.FormatInt(customer, 10) }

// Add puts lines into a basket, in one round trip.
func (b Baskets) Add(ctx context.Context, customer int64, lines ...Line) error {
	if len(lines) == 0 {
		return nil
	}
	key := basketKey(customer)
	_, err := b.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for _, l := range lines {
			p.HIncrBy(ctx, key, strconv.FormatInt(l.Product, 10), int64(l.Quantity))
		}
		p.Expire(ctx, key, basketFor)
		return nil
	})
	return err
}

// Take empties a basket and returns what was in it, by product: of two checkouts at once,
// one gets it.
func (b Baskets) Take(ctx context.Context, customer int64) ([]Line, error) {
	key := basketKey(customer)
	var all *redis.MapStringStringCmd
	_, err := b.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		all = p.HGetAll(ctx, key)
		p.Del(ctx, key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Lines(all.Val())
}

// Purchase is what a checkout buys in addition to what is in the basket.
type Purchase struct {
	Lines []Line `json:"lines"`
}

// maxLines bounds an order.
const maxLines = 100

// Check says what is wrong with a purchase that a client has sent.
func (p Purchase) Check() error {
	if len(p.Lines) > maxLines {
		return fmt.Errorf("lines: at most %d, got %d", maxLines, len(p.Lines))
	}
	for i, l := range p.Lines {
		if err := l.Check(); err != nil {
			return fmt.Errorf("lines[%d].%w", i, err)
		}
	}
	return nil
}

// Merged are the lines of both, one for each product, by product.
func Merged(a, b []Line) []Line {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Line) int { return cmp.Compare(x.Product, y.Product) })
	var merged []Line
	for _, l := range all {
		if n := len(merged); n > 0 && merged[n-1].Product == l.Product {
			merged[n-1].Quantity += l.Quantity
			continue
		}
		merged = append(merged, l)
	}
	return merged
}

// Lines are a basket's, by product.
func Lines(hash map[string]string) ([]Line, error) {
	lines := make([]Line, 0, len(hash))
	for product, quantity := range hash {
		id, err := strconv.ParseInt(product, 10, 64)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(quantity)
		if err != nil {
			return nil, err
		}
		lines = append(lines, Line{Product: id, Quantity: n})
	}
	slices.SortFunc(lines, func(a, b Line) int { return cmp.Compare(a.Product, b.Product) })
	return lines, nil
}
