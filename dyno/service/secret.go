package service

import (
	"crypto/rand"
	"encoding/hex"
)

// newSecret is a password: what listens on a port here can be reached by everybody on the
// machine, and a superuser of a database can execute programs.
func newSecret() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
