package service

import (
	"crypto/rand"
	"encoding/hex"
	"maps"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
)

// newSecret is a password: what listens on a port here can be reached by everybody on the
// machine, and a superuser of a database can execute programs. It is removed from all
// messages about the service.
func (in *Instance) newSecret() string {
	word := randomWord()
	in.secrets[word] = request.Redacted
	return word
}

// hidden are the passwords made for it, and those in the addresses that subjects get.
func (in *Instance) hidden() study.Secrets {
	all := maps.Clone(in.secrets)
	all.AddEnv(in.env)
	return all
}

// randomWord is 32 hexadecimal digits.
func randomWord() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its documentation
	return hex.EncodeToString(b[:])
}
