// Package session keeps values for a client from one request to the next.
//
//	app.Use(session.New(session.Config{}))
//
//	app.Post("/login", func(c nano.Ctx) error {
//		s := session.Of(c)
//		s.Set("user", "ada")
//		s.Renew() // whoever logs in gets a new ID
//		return c.NoContent(204)
//	})
//
// The client holds a random ID in a cookie; the values stay on the server, in a [Store].
// Package redisstore has one for several servers.
package session

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"dyno.example/nano"
)

// Store keeps sessions by ID. Its methods may block and are called by several
// goroutines. What it is given and gives is not changed afterwards by either side.
type Store interface {
	// Load returns the values kept under the ID, nil if there are none any more.
	Load(ctx context.Context, id string) (map[string]string, error)
	// Save keeps the values for so long.
	Save(ctx context.Context, id string, values map[string]string, keep time.Duration) error
	// Delete forgets them.
	Delete(ctx context.Context, id string) error
}

// Config is how sessions work.
type Config struct {
	// Store keeps them; default one in memory, of 64 MiB.
	Store Store
	// Keep is how long a session lasts after its last change, or its last [Session.Touch];
	// default 24 h.
	Keep time.Duration
	// Cookie is the cookie's name; default "__Host-session", which browsers take over TLS
	// only, and "session" with Insecure.
	Cookie string
	// SameSite says with which requests of other sites the cookie is sent.
	SameSite nano.SameSite
	// Insecure sends the cookie without TLS too, for development.
	Insecure bool
	// MaxBytes bounds the values of one session; default 64 KiB.
	MaxBytes int
	// Logger gets the reason why a session could not be saved; default slog.Default().
	Logger *slog.Logger
}

// Session is the session of one request. It belongs to the request's handler.
type Session struct {
	id      string // "" until there is one
	old     string // to be deleted
	values  map[string]string
	changed bool
	ended   bool
}

var key = nano.NewKey[*Session]("session")

// Of returns the request's session, which is empty if the client has none. It panics
// if no middleware of this package is around the handler.
func Of(c nano.Ctx) *Session {
	s, ok := key.Get(c)
	if !ok {
		panic("session: no session.New is around this route")
	}
	return s
}

// Get returns a value, "" if there is none.
func (s *Session) Get(name string) string { return s.values[name] }

// Set keeps a value.
func (s *Session) Set(name, value string) {
	if s.values == nil {
		s.values = map[string]string{}
	}
	s.values[name], s.changed, s.ended = value, true, false
}

// Delete forgets a value.
func (s *Session) Delete(name string) {
	if _, ok := s.values[name]; ok {
		delete(s.values, name)
		s.changed = true
	}
}

// All returns a copy of the values.
func (s *Session) All() map[string]string { return maps.Clone(s.values) }

// Renew gives the session another ID. Call it when a user logs in: an ID that an
// attacker planted in the browser before is then worthless (session fixation).
func (s *Session) Renew() {
	if s.old == "" {
		s.old = s.id
	}
	s.id, s.changed = "", true
}

// Touch keeps the session for another Config.Keep.
func (s *Session) Touch() { s.changed = s.changed || s.id != "" }

// End forgets the session and takes the cookie back.
func (s *Session) End() {
	s.values, s.changed, s.ended = nil, true, true
}

// idBytes are 256 bits.
const idBytes = 32

func newID() string {
	b := make([]byte, idBytes)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// validID reports whether an ID may be one of ours; others are not looked up.
func validID(id string) bool {
	b, err := base64.RawURLEncoding.DecodeString(id)
	return err == nil && len(b) == idBytes
}

// New returns the middleware. A session that was changed is saved, and its cookie set,
// before the response's head is sent; reading one doesn't create it. It must be changed
// before the handler responds. It panics if the config can't work.
func New(config Config) nano.Middleware {
	if config.Keep < 0 || config.MaxBytes < 0 {
		panic(fmt.Sprintf("session: Keep and MaxBytes must not be negative: %+v", config))
	}
	if config.Keep == 0 {
		config.Keep = 24 * time.Hour
	}
	if config.MaxBytes == 0 {
		config.MaxBytes = 64 << 10
	}
	if config.Cookie == "" {
		config.Cookie = "__Host-session"
		if config.Insecure {
			config.Cookie = "session"
		}
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Store == nil {
		config.Store = NewMemory(64 << 20)
	}
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			s, err := config.load(c)
			if err != nil {
				return nano.NewProblem(503, "sessions can't be read now").Because(err)
			}
			key.Set(c, s)
			c.BeforeResponse(func(c nano.Ctx, a *nano.Response) { config.save(c, a, s) })
			return next(c)
		}
	}
}

// ErrTooLarge is why a session was not kept.
var ErrTooLarge = errors.New("session: the values are larger than Config.MaxBytes")

func (config *Config) load(c nano.Ctx) (*Session, error) {
	s := &Session{}
	id := c.Cookie(config.Cookie).String()
	if id == "" || !validID(id) {
		return s, nil
	}
	values, err := config.Store.Load(c.Context(), id)
	if err != nil || values == nil {
		return s, err // an ID that isn't known is never taken over
	}
	s.id, s.values = id, maps.Clone(values)
	return s, nil
}

// save keeps the session before the response's head is sent. If that fails the response
// becomes a 503: it may say that a user is logged in.
func (config *Config) save(c nano.Ctx, a *nano.Response, s *Session) {
	if !s.changed || a.Status() >= 500 {
		return
	}
	if err := config.store(c, s); err != nil {
		config.Logger.Error("the session can't be kept", "error", err)
		a.SetStatus(503)
		if _, whole := a.Body(); whole {
			a.Replace([]byte("the session can't be kept"))
			c.SetHeader("Content-Type", "text/plain; charset=utf-8")
		}
	}
}

func (config *Config) store(c nano.Ctx, s *Session) error {
	ctx := c.Context()
	if s.ended {
		for _, id := range [...]string{s.id, s.old} {
			if id != "" {
				if err := config.Store.Delete(ctx, id); err != nil {
					return err
				}
			}
		}
		config.send(c, "", -1)
		return nil
	}
	size := 0
	for name, value := range s.values {
		size += len(name) + len(value)
	}
	if size > config.MaxBytes {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	if s.id == "" {
		s.id = newID()
	}
	if err := config.Store.Save(ctx, s.id, maps.Clone(s.values), config.Keep); err != nil {
		return err
	}
	if s.old != "" {
		if err := config.Store.Delete(ctx, s.old); err != nil {
			return err
		}
	}
	config.send(c, s.id, config.Keep)
	return nil
}

// send sets the cookie; with a negative age the client forgets it.
func (config *Config) send(c nano.Ctx, id string, age time.Duration) {
	c.SetCookie(nano.Cookie{
		Name: config.Cookie, Value: id, Path: "/", MaxAge: age, Secure: !config.Insecure, SameSite: config.SameSite,
	})
	c.Vary("Cookie")
	c.SetHeader("Cache-Control", "private, no-store")
}
