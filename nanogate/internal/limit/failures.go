package limit

import (
	"hash/maphash"
	"net/netip"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Failures bounds the rate of wrong credentials, by client address and by user name.
// Credentials take their token before they are verified, so that concurrent requests count
// too; valid ones give it back. Safe for concurrent use.
type Failures struct {
	address, name *buckets // nil: unbounded
	seed          maphash.Seed
	late          refusals
}

// NewFailures makes the bound.
func NewFailures(rules config.Failures) *Failures {
	f := &Failures{seed: maphash.MakeSeed(), late: newRefusals("too many failed attempts: credentials are not checked until that time is over", request.RefusedFailures)}
	made := func(rules config.Rate) *buckets {
		if rules.Requests == 0 {
			return nil
		}
		return newBuckets(max(1, int64(rules.Per)/int64(rules.Requests)), rules.Burst, rules.Keys)
	}
	f.address, f.name = made(rules.Address), made(rules.Name)
	return f
}

// Take counts credentials that are about to be verified, at the time now, ns of
// [clock.Now]. It returns nil, or the response to a client that has to wait. A client
// without an address, over a unix socket, is counted by name only, and nil is no name.
func (f *Failures) Take(client netip.Addr, name []byte, now int64) *request.Reply {
	if f.address != nil && client.IsValid() {
		if wait := f.address.take(addressKey(client), now); wait > 0 {
			return f.late.in(wait)
		}
	}
	if f.name == nil || name == nil {
		return nil
	}
	wait := f.name.take(f.sum(name), now)
	if wait == 0 {
		return nil
	}
	if f.address != nil && client.IsValid() { // these weren't looked at
		f.address.give(addressKey(client))
	}
	return f.late.in(wait)
}

// Give gives back what credentials took that were right, or weren't looked at.
func (f *Failures) Give(client netip.Addr, name []byte) {
	if f.address != nil && client.IsValid() {
		f.address.give(addressKey(client))
	}
	if f.name != nil && name != nil {
		f.name.give(f.sum(name))
	}
}

// Blocked returns the response to a client whose credentials aren't verified now; nil:
// they are.
func (f *Failures) Blocked(client netip.Addr, now int64) *request.Reply {
	if f.address == nil || !client.IsValid() {
		return nil
	}
	if wait := f.address.wait(addressKey(client), now); wait > 0 {
		return f.late.in(wait)
	}
	return nil
}

// sum is the key of a name.
func (f *Failures) sum(name []byte) key { return seeded(f.seed, name) }

// seeded is a seeded hash of a text, so that collisions can't be constructed.
func seeded(seed maphash.Seed, text []byte) key {
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(text)
	k := key{h.Sum64()}
	h.WriteByte(0)
	k[1] = h.Sum64() | 1 // no address has it
	return k
}
