package engine

import (
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// A link-local address is one of an interface.
func TestSockaddrHasItsZone(t *testing.T) {
	loopback, err := net.InterfaceByName("lo")
	if err != nil {
		t.Skip("there is no interface lo here")
	}
	for address, want := range map[string]uint32{
		"[fe80::1%lo]:80": uint32(loopback.Index), "[fe80::1%7]:80": 7, "[::1]:80": 0, "[fe80::1%nosuch]:80": 0,
	} {
		got, ok := sockaddr(netip.MustParseAddrPort(address)).(*unix.SockaddrInet6)
		if !ok || got.ZoneId != want || got.Port != 80 {
			t.Errorf("%s: %+v, want zone %d", address, got, want)
		}
	}
}
