package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Admin is where the gateway is looked at and changed.
type Admin struct {
	At      At
	Address string // host:port or unix:/path; "": none
	Token   string // file of what one must know to change something; "": nobody must
}

func readAdmin(p place) (a Admin) {
	a.At = p.At()
	address := func(a *Admin, p place) {
		if a.Address = p.text(); a.Address == "" {
			return
		}
		if err := CheckAdmin(a.Address); err != nil {
			p.Problem("such as 127.0.0.1:9901 or unix:/run/nanogate.sock", "%v", err)
		}
	}
	if !p.IsMapping() {
		address(&a, p)
		return a
	}
	if found := readFields(p, &a, []known[Admin]{
		// `host:port` or `unix:/path`. Default: required
		{"address", address},
		// File of the token that changes, and whoever asks for the configuration, must show.
		// Default: none
		{"token", func(a *Admin, p place) { a.Token = p.path() }},
	}); found["address"].Node == nil {
		p.Problem("such as {address: 127.0.0.1:9901}", "admin needs an address")
	}
	return a
}

// CheckAdmin says what is wrong with an admin address.
func CheckAdmin(address string) error {
	path, isUnix := strings.CutPrefix(address, "unix:")
	if !isUnix {
		return CheckListen(address)
	}
	if path == "" {
		return errors.New("expected the path of a unix socket behind unix:")
	}
	const longest = 107 // bytes that fit into a sockaddr_un
	if len(path) > longest {
		return fmt.Errorf("expected the path of a unix socket of at most %d bytes, got %d", longest, len(path))
	}
	return nil
}

// hint tells of an address that others reach, of whom nothing is asked; nil: there is none.
func (a Admin) hint() *Problem {
	if a.Address == "" || a.Token != "" || a.Local() {
		return nil
	}
	hint := a.At.Problem("admin: 127.0.0.1:9901, or admin: {address, token: FILE}", "whoever reaches the admin address %s sees routes, upstreams with their addresses, and figures; the configuration and changes take a token", form.Quote(a.Address))
	return &hint
}

// Local reports whether only this machine reaches the address.
func (a Admin) Local() bool {
	if strings.HasPrefix(a.Address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(a.Address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
