package shopkit

import (
	"context"
	"errors"
	"sync"
)

// Shop is what a server in front of it calls. It is safe for concurrent use.
type Shop struct {
	Catalogue Catalogue
	Baskets   Baskets
	Orders    Orders

	backends *Backends
	stop     context.CancelFunc
	relay    sync.WaitGroup
}

// New opens a shop: a catalogue with both caches, and an outbox that is emptied meanwhile.
func New(ctx context.Context, c Config) (*Shop, error) {
	b, err := Open(ctx, c)
	if err != nil {
		return nil, err
	}
	local, err := NewLocal(Shared{Stored{b.Database}, b.Redis})
	if err != nil {
		b.Close()
		return nil, err
	}
	outbox := Outbox{b.Database, b.Kafka}
	s := &Shop{Catalogue: local, Baskets: Baskets{b.Redis}, Orders: Orders{b.Database, outbox}, backends: b}
	relaying, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.relay.Go(func() { outbox.Relay(relaying) })
	return s, nil
}

// Close ends it. Events that are still in the outbox are the next process'.
func (s *Shop) Close() {
	s.stop()
	s.relay.Wait()
	s.backends.Close()
}

// Ready says what is missing to serve requests.
func (s *Shop) Ready(ctx context.Context) error {
	return errors.Join(s.backends.Database.Ping(ctx), s.backends.Redis.Ping(ctx).Err())
}

// AddToBasket puts a line into a customer's basket, if there is such a product.
func (s *Shop) AddToBasket(ctx context.Context, customer int64, l Line) error {
	if _, err := s.Catalogue.Find(ctx, Query{Product: l.Product}); err != nil {
		return err
	}
	return s.Baskets.Add(ctx, customer, l)
}

// Checkout makes an order of a customer's basket and of what else is bought. Where that fails,
// the basket is as it was.
func (s *Shop) Checkout(ctx context.Context, customer int64, p Purchase) (*Order, error) {
	basket, err := s.Baskets.Take(ctx, customer)
	if err != nil {
		return nil, err
	}
	lines := Merged(basket, p.Lines)
	if len(lines) == 0 {
		return nil, ErrEmptyBasket
	}
	order, err := s.Orders.Place(ctx, customer, lines)
	if err != nil {
		// Also when it failed because the client went away.
		return nil, errors.Join(err, s.Baskets.Add(context.WithoutCancel(ctx), customer, basket...))
	}
	return order, nil
}
