//go:build linux

package storm

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"math/rand/v2"
)

// mostContent is how long a body is at most, in bytes.
const mostContent = 320 << 10

// pad is what all bodies are cut out of, at places that their tokens say.
var pad = func() []byte {
	r := rand.NewChaCha8([32]byte{'s', 't', 'o', 'r', 'm'})
	b := make([]byte, 2<<20)
	r.Read(b)
	return b
}()

// content is the body of n bytes that belongs to a token, and to no other one.
func content(token string, n int) []byte {
	h := fnv.New64a()
	h.Write([]byte(token))
	at := int(h.Sum64() % uint64(len(pad)-mostContent))
	return pad[at : at+n]
}

// text is content that can stand in JSON.
func text(token string, n int) string { return hex.EncodeToString(content(token, (n+1)/2))[:n] }

// messages is content as messages of gRPC, of at most size bytes each.
func messages(token string, n, size int) []byte {
	if size == 0 {
		return nil
	}
	all := content(token, n)
	out := make([]byte, 0, n+5*(n/size+1))
	for first := true; first || len(all) > 0; first = false {
		one := all[:min(size, len(all))]
		all = all[len(one):]
		out = append(out, 0)
		out = binary.BigEndian.AppendUint32(out, uint32(len(one)))
		out = append(out, one...)
	}
	return out
}
