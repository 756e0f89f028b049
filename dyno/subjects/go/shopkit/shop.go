// Package shopkit is the shop that go/shop and go/shop-gin serve, without HTTP: products in
// PostgreSQL with caches before it, baskets in Redis, orders in PostgreSQL, and an event in
// Kafka for each. Every library is used as its own guide has it.
package shopkit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// What a client may get. Servers send the first as 404, the others as 409.
var (
	ErrNotFound    = errors.New("there is no such thing")
	ErrEmptyBasket = errors.New("the basket is empty")
	ErrSoldOut     = errors.New("a product of the basket is sold out")
)

// Config says what a shop stands on.
type Config struct {
	Database string // postgres://…
	Redis    string // redis://…
	Kafka    string // host:port, of the first broker
	// Connections is how many to PostgreSQL there may be.
	Connections int
}

// ConfigOf reads the configuration from the environment, as dyno sets it.
func ConfigOf(getenv func(string) string) (c Config, err error) {
	c = Config{Connections: 16}
	for name, to := range map[string]*string{"DATABASE_URL": &c.Database, "REDIS_URL": &c.Redis, "KAFKA_BROKERS": &c.Kafka} {
		if *to = getenv(name); *to == "" {
			return c, fmt.Errorf("%s is not set: dyno sets it to the address of what the shop stands on", name)
		}
	}
	if text := getenv("SHOP_CONNECTIONS"); text != "" {
		if c.Connections, err = strconv.Atoi(text); err != nil || c.Connections < 1 || c.Connections > 1000 {
			return c, fmt.Errorf("SHOP_CONNECTIONS: expected a number from 1 to 1000, got %q", text)
		}
	}
	return c, nil
}

// Backends are the connections to what a shop stands on. They are safe for concurrent use.
type Backends struct {
	Database *pgxpool.Pool
	Redis    *redis.Client
	Kafka    *kgo.Client
}

// Open connects, and makes the tables, the products and the topic where they are missing.
// The caller closes.
func Open(ctx context.Context, c Config) (b *Backends, err error) {
	b = &Backends{}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	pool, err := pgxpool.ParseConfig(c.Database)
	if err != nil {
		return b, err
	}
	pool.MaxConns, pool.MinConns = int32(c.Connections), int32(min(c.Connections, 4))
	if b.Database, err = pgxpool.NewWithConfig(ctx, pool); err != nil {
		return b, err
	}
	if err := migrate(ctx, b.Database); err != nil {
		return b, err
	}
	options, err := redis.ParseURL(c.Redis)
	if err != nil {
		return b, err
	}
	b.Redis = redis.NewClient(options)
	if err := b.Redis.Ping(ctx).Err(); err != nil {
		return b, err
	}
	// Acknowledged by all replicas and idempotent, which are franz-go's defaults.
	if b.Kafka, err = kgo.NewClient(kgo.SeedBrokers(c.Kafka), kgo.DefaultProduceTopic(Topic)); err != nil {
		return b, err
	}
	return b, makeTopic(ctx, b.Kafka)
}

// Close closes all connections. What was produced is with Kafka before.
func (b *Backends) Close() {
	if b.Kafka != nil {
		b.Kafka.Close()
	}
	if b.Redis != nil {
		b.Redis.Close()
	}
	if b.Database != nil {
		b.Database.Close()
	}
}

//go:embed schema.sql
var schema string

// migrate applies the schema on one connection: it takes a lock, which is a session's.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	return pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		if _, err := conn.Conn().PgConn().Exec(ctx, schema).ReadAll(); err != nil {
			return fmt.Errorf("making the tables: %w", err)
		}
		_, err := conn.Exec(ctx, "ANALYZE products")
		return err
	})
}

// makeTopic makes the topic of orders, unless it is there.
func makeTopic(ctx context.Context, client *kgo.Client) error {
	const partitions, replicas = 4, 1
	_, err := kadm.NewClient(client).CreateTopic(ctx, partitions, replicas, nil, Topic)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	return err
}

// inTx runs f in a transaction.
func inTx(ctx context.Context, pool *pgxpool.Pool, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, pool, f)
}
