package config

import "strings"

// Balance is how an endpoint is picked.
type Balance struct {
	Kind  BalanceKind
	Key   HashKey // of Hash
	Name  string  // of the header field or cookie
	Bound float64 // of Hash: how much more than its share an endpoint may have under way, 1.25 say
}

// BalanceKind is a way to pick.
type BalanceKind uint8

const (
	LeastRequest BalanceKind = iota // the one of two drawn at random that has fewer requests under way
	RoundRobin                      // in turn
	EWMA                            // the one of two drawn at random that has been faster of late
	Hash                            // the one that the key belongs to, unless it has far more than its share
)

var balanceNames = []string{"least-request", "round-robin", "ewma", "hash"}

// String is the way's name in files.
func (k BalanceKind) String() string { return balanceNames[k] }

// HashKey is what of a request is hashed.
type HashKey uint8

const (
	HashClient HashKey = iota // the client's address
	HashPath
	HashHeader
	HashCookie
)

var hashKeys = []string{"client-ip", "path", "header", "cookie"}

func readBalance(p place) Balance {
	b := Balance{Bound: 1.25}
	if !p.IsMapping() {
		b.Kind = BalanceKind(max(0, indexOf(balanceNames, p.word(balanceNames...))))
		return b
	}
	// Each client's address, path, header field or cookie has its endpoint.
	readFields(p, &b, []known[Balance]{{"hash", func(b *Balance, p place) {
		b.Kind = Hash
		if !p.IsMapping() {
			b.Key = HashKey(max(0, indexOf(hashKeys[:2], p.word(hashKeys[:2]...))))
			return
		}
		readFields(p, b, []known[Balance]{
			// Each value of a header field.
			{"header", func(b *Balance, p place) { b.Key, b.Name = HashHeader, strings.ToLower(p.token("header field")) }},
			// Each value of a cookie.
			{"cookie", func(b *Balance, p place) { b.Key, b.Name = HashCookie, p.token("cookie") }},
			// Percentage of its share that an endpoint may have under way. Default: `125`
			{"bound", func(b *Balance, p place) {
				if b.Bound = 1 + float64(p.Integer(101, 1000)-100)/100; b.Bound <= 1 {
					b.Bound = 1.25
				}
			}},
		})
	}}})
	return b
}
