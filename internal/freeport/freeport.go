// Package freeport gives tests addresses for servers that they start elsewhere, or start again.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Address is a free one, as host:port. Where the system allows, it is an address of the
// loopback other than 127.0.0.1, from which connections originate: so none of them takes the
// port before the test listens on it.
func Address(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		ln, err = net.Listen("tcp", "127.0.0.1:0") // as on macOS, which has the one address only
	}
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
