//go:build linux

package storm

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
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

// follower holds what comes in against what should.
type follower struct {
	want  []byte
	at    int
	wrong string
}

// length is how much has come; nil: nothing is followed.
func (f *follower) length() int {
	if f == nil {
		return 0
	}
	return f.at
}

// take checks the next bytes.
func (f *follower) take(p []byte) {
	if f.wrong == "" {
		switch rest := f.want[f.at:]; {
		case len(p) > len(rest):
			f.wrong = fmt.Sprintf("more than the %d bytes that there are: %d and %d more", len(f.want), f.at, len(p))
		case !bytes.Equal(p, rest[:len(p)]):
			f.wrong = f.explain(p)
		}
	}
	f.at += len(p)
}

// explain says where bytes that are wrong come from.
func (f *follower) explain(p []byte) string {
	same := 0
	for same < len(p) && p[same] == f.want[f.at+same] {
		same++
	}
	head := p[same:min(len(p), same+24)]
	from := "which are of no place in it"
	if len(head) >= 8 {
		if i := bytes.Index(f.want, head); i >= 0 {
			from = fmt.Sprintf("which are those of offset %d (%+d)", i, i-f.at-same)
		}
	}
	return fmt.Sprintf("at offset %d of %d bytes came %x, %s", f.at+same, len(f.want), head, from)
}

// ended says what is wrong with content that has come to its end, "" if nothing is.
func (f *follower) ended() string {
	if f.wrong == "" && f.at != len(f.want) {
		return fmt.Sprintf("whole after %d of %d bytes", f.at, len(f.want))
	}
	return f.wrong
}
