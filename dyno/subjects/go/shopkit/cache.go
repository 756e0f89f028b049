package shopkit

import (
	"context"
	"errors"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"
)

// How long results may be old: prices change by the day, and whether there is stock, a
// checkout looks up each time.
const (
	sharedFor = time.Minute
	localFor  = time.Second
)

// localResults bounds the cache in memory, in results.
const localResults = 10_000

// Shared keeps what another catalogue finds in Redis, for all processes (cache-aside). Where
// Redis fails, the other is asked.
type Shared struct {
	Of    Catalogue
	Redis *redis.Client
}

// Find implements Catalogue.
func (s Shared) Find(ctx context.Context, q Query) ([]byte, error) {
	key := "found:" + q.Key()
	if found, err := s.Redis.Get(ctx, key).Bytes(); err == nil {
		return found, nil
	}
	found, err := s.Of.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	s.Redis.Set(ctx, key, found, sharedFor) // without it, the next asks again
	return found, nil
}

// Local keeps what another catalogue finds in the memory of the process. Of requests that
// miss the same at once, one asks.
type Local struct {
	of    Catalogue
	cache *otter.Cache[Query, []byte]
}

// NewLocal returns one that is empty.
func NewLocal(of Catalogue) (*Local, error) {
	cache, err := otter.New(&otter.Options[Query, []byte]{
		MaximumSize: localResults, ExpiryCalculator: otter.ExpiryCreating[Query, []byte](localFor),
	})
	return &Local{of, cache}, err
}

// Find implements Catalogue.
func (l *Local) Find(ctx context.Context, q Query) ([]byte, error) {
	found, err := l.cache.Get(ctx, q, otter.LoaderFunc[Query, []byte](l.of.Find))
	// The request that asked for all of them may have been given up by its client.
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return l.of.Find(ctx, q)
	}
	return found, err
}
