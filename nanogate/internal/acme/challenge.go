package acme

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"dyno.example/nanogate/internal/config"
)

// challenges are the responses to an authority that validates names. They are
// immutable; nil are none.
type challenges struct {
	files             []string                    // they were read from
	keyAuthorizations map[string]string           // by token, of HTTP-01
	certificates      map[string]*tls.Certificate // by name, of TLS-ALPN-01
}

// with are both.
func (c *challenges) with(other *challenges) *challenges {
	if c == nil || other == nil {
		if c == nil {
			return other
		}
		return c
	}
	made := &challenges{keyAuthorizations: maps.Clone(c.keyAuthorizations), certificates: maps.Clone(c.certificates)}
	maps.Copy(made.keyAuthorizations, other.keyAuthorizations)
	maps.Copy(made.certificates, other.certificates)
	return made
}

// pending is a challenge as it is kept.
type pending struct {
	Type             string `json:"type"`
	Name             string `json:"name"`
	Token            string `json:"token"`
	KeyAuthorization string `json:"answer"` // the key authorization (RFC 8555 8.1)
}

// Of challenges so many are read, and those are removed that a gateway has left behind
// when it crashed.
const (
	mostPending  = 1000
	oldestOrphan = time.Hour
)

// solver responds to the authority's challenges for an issuer (acmez.Solver,
// acmez.Waiter).
type solver struct{ *issuer }

// solver returns the solver of a kind of challenge.
func (i *issuer) solver(kind string) acmez.Solver {
	if kind == config.DNS01 {
		return dnsSolver{i.rules.DNS, i.options.Poll}
	}
	return solver{i}
}

// Present publishes the challenge to all gateways, which respond to it.
func (s solver) Present(_ context.Context, c acme.Challenge) error {
	b, err := json.Marshal(pending{c.Type, c.Identifier.Value, c.Token, c.KeyAuthorization})
	if err != nil {
		return err
	}
	if err := writeFile(s.store.challenge(c.Token), b); err != nil {
		return err
	}
	s.lookForChallenges()
	s.changed()
	return nil
}

// Wait waits until all have seen it.
func (s solver) Wait(ctx context.Context, _ acme.Challenge) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.options.Spread):
		return nil
	}
}

// CleanUp withdraws the challenge from all gateways.
func (s solver) CleanUp(_ context.Context, c acme.Challenge) error {
	err := os.Remove(s.store.challenge(c.Token))
	s.lookForChallenges()
	s.changed()
	return err
}

func (s *store) challenge(token string) string {
	return filepath.Join(s.dir, challengesDir, filepath.Base(token))
}

// lookForChallenges reads those that are kept, of all gateways. It reports whether they
// are others than before.
func (i *issuer) lookForChallenges() (changed bool) {
	i.looking.Lock()
	defer i.looking.Unlock()
	before, names := i.seen.Load(), i.store.pending()
	if before == nil && len(names) == 0 || before != nil && slices.Equal(before.files, names) {
		return false
	}
	made := &challenges{files: names, keyAuthorizations: map[string]string{}, certificates: map[string]*tls.Certificate{}}
	for _, name := range names {
		made.add(i, name)
	}
	if len(names) == 0 {
		made = nil
	}
	i.seen.Store(made)
	return true
}

// pending are the names of the files of challenges.
func (s *store) pending() (names []string) {
	all, err := os.ReadDir(filepath.Join(s.dir, challengesDir))
	if err != nil {
		return nil
	}
	for _, one := range all {
		if one.Name()[0] == '.' || !one.Type().IsRegular() || len(names) == mostPending {
			continue
		}
		if info, err := one.Info(); err == nil && time.Since(info.ModTime()) > oldestOrphan {
			_ = os.Remove(s.challenge(one.Name()))
			continue
		}
		names = append(names, one.Name())
	}
	return names
}

// add adds the challenge in a file, if it is for a name of ours.
func (c *challenges) add(i *issuer, file string) {
	b, err := readFile(i.store.challenge(file))
	if err != nil {
		return // it is over
	}
	var p pending
	if err := json.Unmarshal(b, &p); err != nil || p.Token != file || !slices.Contains(i.rules.Domains, p.Name) {
		return
	}
	switch p.Type {
	case config.HTTP01:
		c.keyAuthorizations[p.Token] = p.KeyAuthorization
	case config.TLSALPN01:
		made, err := acmez.TLSALPN01ChallengeCert(acme.Challenge{
			Type: p.Type, Token: p.Token, KeyAuthorization: p.KeyAuthorization, Identifier: acme.Identifier{Type: "dns", Value: p.Name},
		})
		if err != nil {
			i.log.Error("a challenge can't be responded to", "name", p.Name, "error", err)
			return
		}
		c.certificates[p.Name] = made
	}
}
