package middleware

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"dyno.example/nano"
)

// IdempotencyConfig is how [Idempotency] works.
type IdempotencyConfig struct {
	// Store keeps responses; default one in memory, of 16 MiB. Several servers need one that
	// they share.
	Store IdempotencyStore
	// Keep is how long a response is kept; default 24 h.
	Keep time.Duration
	// Methods are those that take keys; default POST and PATCH.
	Methods []string
	// Required refuses requests of those methods without a key with 400.
	Required bool
	// Scope is the owner of a request's key, so that no client gets another's response by
	// guessing a key. By default it is made of all that identifies the sender: the fields
	// Authorization, Cookie and X-API-Key, a client's certificate, and the user of [KeyAuth]
	// or [BasicAuth] before it; for a request without any, its client's address. Set it, to
	// a user's id for instance, where users are identified in another way, or where cookies
	// change from one try to the next. "" shares keys among all.
	Scope func(c nano.Ctx) string
	// MaxResponse is how long a response may be that is kept, in bytes; default 1 MiB. A longer
	// one is sent, and its request is not protected.
	MaxResponse int
}

// IdempotencyStore keeps responses by key. Its methods may block and are called by
// several goroutines.
type IdempotencyStore interface {
	// Begin claims the key for a request with the fingerprint. It returns the record that
	// exists for the key, if any, whose Response is nil while the first request is under
	// way.
	Begin(ctx context.Context, key string, r IdempotencyRecord, keep time.Duration) (there *IdempotencyRecord, err error)
	// Finish keeps the response of the request that has claimed the key.
	Finish(ctx context.Context, key string, r IdempotencyRecord, keep time.Duration) error
	// Abandon releases the key: its request had no response that is worth keeping.
	Abandon(ctx context.Context, key string) error
}

// IdempotencyRecord is what is kept for a key.
type IdempotencyRecord struct {
	Fingerprint [32]byte // of the request: the same key with another one is a mistake
	Response    *KeptResponse
}

// KeptResponse is a response that can be given again.
type KeptResponse struct {
	Status      int
	ContentType string
	Location    string
	Body        []byte
}

const idempotencyField = "Idempotency-Key"

// maxIdempotencyKey bounds keys, in bytes.
const maxIdempotencyKey = 255

// Idempotency lets clients repeat a request safely when they don't know whether it was
// completed: a request with the Idempotency-Key of an earlier one gets the response of that,
// marked Idempotent-Replayed, and its handler doesn't run again (after
// draft-ietf-httpapi-idempotency-key-header). While the first is under way the response to
// a repetition is 409; to the same key on another request it is 422.
//
// Responses of status 500 and above are not kept, nor are streamed ones: the request may be
// tried again. Of the response status, content, Content-Type and Location are kept.
func Idempotency(config IdempotencyConfig) nano.Middleware {
	if config.Keep <= 0 {
		config.Keep = 24 * time.Hour
	}
	if config.MaxResponse <= 0 {
		config.MaxResponse = 1 << 20
	}
	if config.Methods == nil {
		config.Methods = []string{"POST", "PATCH"}
	}
	if config.Store == nil {
		config.Store = NewMemoryIdempotency(16 << 20)
	}
	if config.Scope == nil {
		config.Scope = sender
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			key := c.Header(idempotencyField).String()
			switch {
			case !slices.Contains(config.Methods, string(c.Method())):
				return next(c)
			case key == "" && config.Required:
				return nano.NewProblem(400, "the field "+idempotencyField+" is needed")
			case key == "":
				return next(c)
			case len(key) > maxIdempotencyKey:
				return nano.NewProblem(400, fmt.Sprintf("the field %s is longer than %d bytes", idempotencyField, maxIdempotencyKey))
			}
			return config.once(c, key, next)
		}
	}
}

// once runs next unless the key has a response.
func (i *IdempotencyConfig) once(c nano.Ctx, key string, next nano.Handler) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	scope := sha256.Sum256([]byte(i.Scope(c)))
	key = fmt.Sprintf("%x:%s", scope[:16], key)
	record := IdempotencyRecord{Fingerprint: fingerprint(c, body)}
	there, err := i.Store.Begin(c.Context(), key, record, i.Keep)
	switch {
	case err != nil:
		return nano.NewProblem(503, "whether this request is a repetition can't be checked now").Because(err)
	case there != nil && there.Fingerprint != record.Fingerprint:
		return nano.NewProblem(422, "the "+idempotencyField+" was used for another request")
	case there != nil && there.Response == nil:
		return nano.NewProblem(409, "a request with this "+idempotencyField+" is under way")
	case there != nil:
		return replay(c, there.Response)
	}
	return i.first(c, key, record, next)
}

// first runs the handler and keeps its response.
func (i *IdempotencyConfig) first(c nano.Ctx, key string, record IdempotencyRecord, next nano.Handler) error {
	c.BeforeResponse(func(c nano.Ctx, a *nano.Response) {
		if content, whole := a.Body(); whole && a.Status() < 500 && len(content) <= i.MaxResponse {
			record.Response = &KeptResponse{a.Status(), c.ResponseHeader("Content-Type").String(), c.ResponseHeader("Location").String(), slices.Clone(content)}
		}
	})
	// The client may be gone before the response is kept; the response is kept for it.
	ctx := context.WithoutCancel(c.Context())
	c.AfterResponse(func(nano.Ctx, nano.Outcome) {
		if record.Response == nil {
			i.Store.Abandon(ctx, key)
			return
		}
		i.Store.Finish(ctx, key, record, i.Keep)
	})
	return next(c)
}

func replay(c nano.Ctx, a *KeptResponse) error {
	c.SetHeader("Idempotent-Replayed", "true")
	if a.Location != "" {
		c.SetHeader("Location", a.Location)
	}
	if len(a.Body) == 0 && a.ContentType == "" {
		return c.NoContent(a.Status)
	}
	return c.Bytes(a.Status, a.ContentType, a.Body)
}

// fingerprint is of method, target and content.
func fingerprint(c nano.Ctx, body []byte) (sum [32]byte) {
	h := sha256.New()
	for _, part := range [][]byte{c.Method(), c.Path(), c.RawQuery(), body} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	h.Sum(sum[:0])
	return sum
}

// ErrIdempotencyFull is of a store that has no room for another key.
var ErrIdempotencyFull = errors.New("middleware: no room for another idempotency key")

// NewMemoryIdempotency returns a store in memory for one server, of so many bytes. When
// it is full of keys that are still to be kept, requests with new ones get a 503: to
// forget a key early would run its request again.
func NewMemoryIdempotency(bytes int) IdempotencyStore {
	return &memoryIdempotency{left: bytes, records: map[string]*memoryRecord{}, now: time.Now}
}

type memoryIdempotency struct {
	mu      sync.Mutex
	left    int
	records map[string]*memoryRecord
	swept   time.Time
	now     func() time.Time
}

type memoryRecord struct {
	IdempotencyRecord
	until time.Time
	size  int
}

// sweepEvery is how often what need not be kept is looked for, unless there is no room.
const sweepEvery = time.Minute

// sizeOf is about what a record takes.
func sizeOf(key string, a *KeptResponse) int {
	size := 200 + len(key)
	if a != nil {
		size += len(a.Body) + len(a.ContentType) + len(a.Location)
	}
	return size
}

func (m *memoryIdempotency) Begin(_ context.Context, key string, r IdempotencyRecord, keep time.Duration) (*IdempotencyRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if there := m.records[key]; there != nil && now.Before(there.until) {
		found := there.IdempotencyRecord
		return &found, nil
	}
	size := sizeOf(key, nil)
	if m.left < size || now.Sub(m.swept) > sweepEvery {
		m.sweep(now)
	}
	m.drop(key)
	if m.left < size {
		return nil, ErrIdempotencyFull
	}
	m.records[key] = &memoryRecord{r, now.Add(keep), size}
	m.left -= size
	return nil, nil
}

func (m *memoryIdempotency) Finish(_ context.Context, key string, r IdempotencyRecord, keep time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
	size := sizeOf(key, r.Response)
	if m.left < size {
		m.sweep(m.now())
	}
	if m.left < size {
		return ErrIdempotencyFull
	}
	m.records[key] = &memoryRecord{r, m.now().Add(keep), size}
	m.left -= size
	return nil
}

func (m *memoryIdempotency) Abandon(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
	return nil
}

func (m *memoryIdempotency) drop(key string) {
	if r := m.records[key]; r != nil {
		m.left += r.size
		delete(m.records, key)
	}
}

func (m *memoryIdempotency) sweep(now time.Time) {
	m.swept = now
	for key, r := range m.records {
		if !now.Before(r.until) {
			m.drop(key)
		}
	}
}
