package service

import (
	"crypto/rand"
	"encoding/hex"

	"dyno.example/dyno/load/request"
)

// newSecret is a password: what listens on a port here can be reached by everybody on the
// machine, and a superuser of a database can execute programs. It is taken out of what is
// said of the service.
func (in *Instance) newSecret() string {
	word := randomWord()
	in.secrets[word] = request.Redacted
	return word
}

// randomWord is 32 hexadecimal digits.
func randomWord() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
