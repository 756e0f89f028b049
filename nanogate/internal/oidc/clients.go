package oidc

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Clients are the clients that routes share: those of one provider, client and session.
// What is known of the provider, and what is being renewed, goes on when a route is
// changed. It is for many goroutines.
type Clients struct {
	Now func() time.Time // nil: [time.Now]
	// Share opens the bus by which gateways share logouts, with a name that a client has at
	// all of them; nil: it isn't configured.
	Share func(rules *config.OIDC, name string, most int) (LogoutBus, error)

	mu      sync.Mutex
	all     map[config.OIDCClient]*Client
	logouts map[string]*logouts // by provider and client
}

// Get returns the client of a route, which closes it when it needs it no more.
func (s *Clients) Get(rules *config.OIDC) (*Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[rules.OIDCClient]
	if c == nil {
		now := s.Now
		if now == nil {
			now = time.Now
		}
		var err error
		if c, err = newClient(rules, now); err != nil {
			return nil, err
		}
		c.shared = s
		if err := s.share(c, rules); err != nil {
			c.end()
			return nil, err
		}
		if s.all == nil {
			s.all = map[config.OIDCClient]*Client{}
		}
		s.all[rules.OIDCClient] = c
	}
	if rules.NeedsAccess() {
		c.access.Store(true)
	}
	c.routes++
	return c, nil
}

// share gives a client the logouts that there were before it was changed, and a board.
func (s *Clients) share(c *Client, rules *config.OIDC) (err error) {
	if c.logouts = s.logouts[c.purpose]; c.logouts == nil {
		if s.logouts == nil {
			s.logouts = map[string]*logouts{}
		}
		c.logouts = newLogouts(mostLogouts)
		s.logouts[c.purpose] = c.logouts
	}
	if rules.Redis.Address == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(c.purpose))
	c.board, err = s.Share(rules, hex.EncodeToString(sum[:8]), mostLogouts)
	return err
}

// Close says that a route needs the client no more.
func (c *Client) Close() {
	s := c.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.routes--; c.routes == 0 {
		delete(s.all, c.rules)
		c.end()
	}
}
