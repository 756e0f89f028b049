package shopkit

import (
	"context"
	"encoding/json"
	"log"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Topic is where Kafka has an event for each order: its JSON, by customer.
const Topic = "orders"

// Record is the event of an order.
func Record(o *Order) (*kgo.Record, error) {
	body, err := json.Marshal(o)
	return &kgo.Record{Key: strconv.AppendInt(nil, o.Customer, 10), Value: body}, err
}

// Outbox keeps events in PostgreSQL, in the transaction of what they tell of, until Kafka has
// them: an order that is there is published at least once, whatever fails, and no request waits
// for Kafka.
type Outbox struct {
	Pool  *pgxpool.Pool
	Kafka *kgo.Client
}

// Tell implements Teller.
func (Outbox) Tell(ctx context.Context, tx pgx.Tx, o *Order) error {
	r, err := Record(o)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "INSERT INTO outbox (key, body) VALUES ($1, $2)", string(r.Key), r.Value)
	return err
}

// How the outbox is emptied: so often, and so many events at once.
const (
	relayEvery = 50 * time.Millisecond
	relayBatch = 500
)

// Relay brings events to Kafka until ctx ends. Several processes may do so at once; each event is one's.
func (b Outbox) Relay(ctx context.Context) {
	var said string
	for ctx.Err() == nil {
		n, err := b.relay(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error() // once, not each time
			log.Print("outbox: ", err)
		}
		if n == relayBatch {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(relayEvery):
		}
	}
}

// relay brings a batch, the oldest first, and says how many those were.
func (b Outbox) relay(ctx context.Context) (n int, err error) {
	err = inTx(ctx, b.Pool, func(tx pgx.Tx) error {
		// Locked rows are another's. Deleting returns no order, so that it is made here.
		rows, err := tx.Query(ctx, `WITH gone AS (DELETE FROM outbox WHERE id = ANY (
			ARRAY(SELECT id FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id, key, body)
			SELECT key, body FROM gone ORDER BY id`, relayBatch)
		if err != nil {
			return err
		}
		records, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*kgo.Record, error) {
			var r kgo.Record
			return &r, row.Scan(&r.Key, &r.Value)
		})
		if n = len(records); err != nil || n == 0 {
			return err
		}
		return b.Kafka.ProduceSync(ctx, records...).FirstErr() // before they are gone here
	})
	return n, err
}
