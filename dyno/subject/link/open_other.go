//go:build !linux

package link

import (
	"errors"
	"net/netip"
)

// Open is a link that is up; here there are none.
type Open struct{ Address netip.Addr }

// Enter returns an error: network namespaces are Linux's.
func Enter(Link) (*Open, error) {
	return nil, errors.New("a network for a subject takes network namespaces, which Linux alone has")
}

// Leave does nothing.
func (*Open) Leave() error { return nil }

// Close does nothing.
func (*Open) Close() {}
