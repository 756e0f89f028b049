package acme

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libdns/libdns"
	"github.com/libdns/rfc2136"
	"github.com/mholt/acmez/v3/acme"
	"github.com/miekg/dns"

	"dyno.example/nanogate/internal/config"
)

// records makes and removes records in a zone. Another way to do that than by RFC 2136 is
// another of libdns' providers.
type records interface {
	libdns.RecordAppender
	libdns.RecordDeleter
}

// dnsSolver solves challenges by DNS records (acmez.Solver, acmez.Waiter). The TSIG key is
// read for each, so that it may be changed at any time.
type dnsSolver struct {
	rules *config.ACMEDNS
	poll  time.Duration
}

// Bounds of records. One that a gateway has left behind in a crash is harmless, as the
// authority looks for a record with its own text.
const (
	recordTTL   = time.Minute
	mostRecord  = 20 * time.Second // to make one, or remove it
	mostQuery   = 5 * time.Second
	mostParents = 10 // that are queried for the zone of a name
)

// Present makes the record, beside others of the name.
func (s dnsSolver) Present(ctx context.Context, c acme.Challenge) error {
	return s.change(ctx, c, func(ctx context.Context, at records, zone string, one []libdns.Record) error {
		_, err := at.AppendRecords(ctx, zone, one)
		return err
	})
}

// CleanUp removes it, also when the time for the order is over.
func (s dnsSolver) CleanUp(ctx context.Context, c acme.Challenge) error {
	return s.change(context.WithoutCancel(ctx), c, func(ctx context.Context, at records, zone string, one []libdns.Record) error {
		_, err := at.DeleteRecords(ctx, zone, one)
		return err
	})
}

func (s dnsSolver) change(ctx context.Context, c acme.Challenge, do func(context.Context, records, string, []libdns.Record) error) error {
	ctx, cancel := context.WithTimeout(ctx, mostRecord)
	defer cancel()
	key, err := readTSIG(s.rules.Key)
	if err != nil {
		return err
	}
	name := c.DNS01TXTRecordName()
	zone, err := s.zone(ctx, name)
	if err != nil {
		return err
	}
	at := &rfc2136.Provider{KeyName: key.name, KeyAlg: key.algorithm, Key: key.secret, Server: s.rules.Server}
	one := []libdns.Record{libdns.TXT{Name: libdns.RelativeName(name, zone), TTL: recordTTL, Text: c.DNS01KeyAuthorization()}}
	if err := do(ctx, at, zone, one); err != nil {
		return fmt.Errorf("updating the zone %s at %s: %w", zone, s.rules.Server, err)
	}
	return nil
}

// zone is the one that a name is in, by what its server says of it and its parents (RFC 1035
// 3.3.13).
func (s dnsSolver) zone(ctx context.Context, name string) (string, error) {
	if s.rules.Zone != "" {
		if !dns.IsSubDomain(dns.Fqdn(s.rules.Zone), dns.Fqdn(name)) {
			return "", fmt.Errorf("%s isn't in the zone %s", name, s.rules.Zone)
		}
		return s.rules.Zone, nil
	}
	parent := dns.Fqdn(name)
	for range mostParents {
		m, err := query(ctx, s.rules.Server, parent, dns.TypeSOA)
		if err != nil {
			return "", fmt.Errorf("asking %s for the zone of %s: %w", s.rules.Server, name, err)
		}
		for _, rr := range slices.Concat(m.Answer, m.Ns) {
			if soa, ok := rr.(*dns.SOA); ok && soa.Hdr.Name != "." && dns.IsSubDomain(soa.Hdr.Name, parent) {
				return strings.TrimSuffix(soa.Hdr.Name, "."), nil
			}
		}
		_, rest, ok := strings.Cut(parent, ".")
		if !ok || rest == "" {
			break
		}
		parent = rest
	}
	return "", fmt.Errorf("%s serves no zone of %s: name it by zone", s.rules.Server, name)
}

// Wait waits until all name servers to be checked have the record.
func (s dnsSolver) Wait(ctx context.Context, c acme.Challenge) error {
	ctx, cancel := context.WithTimeout(ctx, s.rules.Wait)
	defer cancel()
	left := slices.Clone(s.rules.Check)
	if len(left) == 0 {
		left = []string{s.rules.Server}
	}
	for {
		left = slices.DeleteFunc(left, func(server string) bool { return knows(ctx, server, c.DNS01TXTRecordName(), c.DNS01KeyAuthorization()) })
		if len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s the record %s isn't known at %s", s.rules.Wait, c.DNS01TXTRecordName(), strings.Join(left, ", "))
		case <-time.After(s.poll):
		}
	}
}

// knows reports whether a server has a record with a text.
func knows(ctx context.Context, server, name, text string) bool {
	m, err := query(ctx, server, dns.Fqdn(name), dns.TypeTXT)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(m.Answer, func(rr dns.RR) bool {
		txt, ok := rr.(*dns.TXT)
		return ok && strings.Join(txt.Txt, "") == text
	})
}

// query queries a name server over TCP, which carries responses of any size and can't be
// spoofed off-path.
func query(ctx context.Context, server, name string, kind uint16) (*dns.Msg, error) {
	m, _, err := (&dns.Client{Net: "tcp", Timeout: mostQuery}).ExchangeContext(ctx, new(dns.Msg).SetQuestion(name, kind), server)
	return m, err
}
