package config

import (
	"strings"
	"time"
)

// Redis is where gateways beside each other sum up what a limit has admitted.
type Redis struct {
	At       At
	Address  string // host:port, or unix:/path
	TLS      bool
	User     string
	Password string // the file that holds it; "": none
	Database int
	Prefix   string        // of its keys
	Every    time.Duration // how often it is told and asked, at most
	Timeout  time.Duration // for one time
	Away     Away          // what the limit does while it can't be asked
}

// Away is what a shared limit does while the store is away.
type Away uint8

const (
	AwayShare  Away = iota // each gateway admits its share, by how many there were
	AwayAll                // each gateway admits as if it were alone
	AwayRefuse             // nothing is admitted
)

var awayNames = []string{"share", "all", "refuse"}

func readRedis(p place) *Redis {
	r := &Redis{At: p.At(), Prefix: "nanogate:", Every: 100 * time.Millisecond, Timeout: 500 * time.Millisecond}
	if !p.IsMapping() {
		r.readAddress(p)
		return r
	}
	found := readFields(p, r, []known[Redis]{
		// `host:port` or `unix:/path`. Default: required
		{"address", (*Redis).readAddress},
		// Default: `false`
		{"tls", func(r *Redis, p place) { r.TLS = p.Boolean() }},
		// Default: none
		{"user", func(r *Redis, p place) { r.User = p.text() }},
		// File that holds it. Default: none
		{"password", func(r *Redis, p place) { r.Password = p.path() }},
		// Default: `0`
		{"database", func(r *Redis, p place) { r.Database = p.Integer(0, 1<<16) }},
		// What the gateway's keys begin with.
		{"prefix", func(r *Redis, p place) { r.Prefix = p.text() }},
		// How often counts are reported, at most.
		{"every", func(r *Redis, p place) { r.Every = p.Duration(10*time.Millisecond, 10*time.Second) }},
		// How long one report may take.
		{"timeout", func(r *Redis, p place) { r.Timeout = p.Duration(10*time.Millisecond, 10*time.Second) }},
		// What a limit does while Redis can't be reached: each gateway admits its share, or all, or
		// nothing is admitted. Default: `share`
		{"away", func(r *Redis, p place) { r.Away = Away(max(0, indexOf(awayNames, p.word(awayNames...)))) }},
	})
	if _, ok := found["address"]; !ok {
		p.Problem("such as redis: {address: 127.0.0.1:6379}", "redis needs an address")
	}
	return r
}

func (r *Redis) readAddress(p place) {
	r.Address = p.text()
	if r.Address == "" {
		return
	}
	if _, err := ParseAddress(r.Address); err != nil || strings.Contains(r.Address, "://") {
		p.Problem("such as 127.0.0.1:6379 or unix:/run/redis.sock", "expected the address of a Redis server, got %s", form.Quote(r.Address))
	}
}

// sharesLimits reports whether gateways keep a limit of the route together.
func (r *Route) sharesLimits() bool {
	for i := range r.Rates {
		if r.Rates[i].Redis != nil {
			return true
		}
	}
	return false
}
