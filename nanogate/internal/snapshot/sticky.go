package snapshot

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Sticky writes and reads the cookies by which clients stay with their endpoints. A cookie is
// the endpoint's number in AES: without the key nobody learns from it which addresses there
// are behind the gateway, nor can one choose one's endpoint.
type Sticky struct {
	block cipher.Block
	work  sync.Pool // of blocks, which what is behind an interface may keep
}

// leastStickyKey is how many bytes a key's file must hold.
const leastStickyKey = 16

func newSticky(secret []byte) *Sticky {
	sum := sha256.Sum256(append([]byte("nanogate sticky cookie\x00"), secret...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // a key of 32 bytes is one
	}
	return &Sticky{block: block, work: sync.Pool{New: func() any { return new([aes.BlockSize]byte) }}}
}

// sticky reads the route's key, if its file names one.
func sticky(c *config.Sticky) (*Sticky, error) {
	if c == nil || c.Key == "" {
		return nil, nil
	}
	b, err := os.ReadFile(c.Key)
	if err != nil {
		return nil, fmt.Errorf("sticky: %w", err)
	}
	if b = bytes.TrimSpace(b); len(b) < leastStickyKey {
		return nil, fmt.Errorf("sticky: expected a key of at least %d bytes in %s, got %d", leastStickyKey, c.Key, len(b))
	}
	return newSticky(b), nil
}

// sticks gives the route the gateway's own key if it has none.
func (r *Route) sticks(m *making) {
	if r.Config.Sticky != nil && r.Sticky == nil {
		r.Sticky = m.b.ownSticky()
	}
}

// ownSticky is by a key that was drawn once, and is kept where a start finds it again.
func (b *Builder) ownSticky() *Sticky {
	if b.sticky != nil {
		return b.sticky
	}
	file := b.State.File("sticky", "key")
	var secret []byte
	there, err := file.Load(&secret)
	if there && err == nil && len(secret) >= leastStickyKey {
		b.sticky = newSticky(secret)
		return b.sticky
	}
	secret = make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails (crypto/rand)
	if err := file.Save(secret); err != nil && b.Log != nil {
		b.Log.Warn("the key of sticky cookies can't be stored: clients will change endpoints after a restart", "error", err)
	}
	b.sticky = newSticky(secret)
	return b.sticky
}

// Append appends the cookie's value for the endpoint of that number.
func (s *Sticky) Append(dst []byte, id uint64) []byte {
	b := s.work.Get().(*[aes.BlockSize]byte)
	defer s.work.Put(b)
	*b = [aes.BlockSize]byte{}
	binary.BigEndian.PutUint64(b[:], id)
	s.block.Encrypt(b[:], b[:])
	return hex.AppendEncode(dst, b[:])
}

// Read reads a cookie's value; ok is false if no gateway with the key has written it.
func (s *Sticky) Read(value []byte) (id uint64, ok bool) {
	if len(value) != 2*aes.BlockSize {
		return 0, false
	}
	b := s.work.Get().(*[aes.BlockSize]byte)
	defer s.work.Put(b)
	if _, err := hex.Decode(b[:], value); err != nil {
		return 0, false
	}
	s.block.Decrypt(b[:], b[:])
	return binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:]) == 0
}

// AppendCookie appends what Set-Cookie says of the cookie that names an endpoint, by the settings
// of its route.
func (s *Sticky) AppendCookie(dst []byte, c *config.Sticky, endpoint uint64, secure bool) []byte {
	dst = append(append(dst, c.Cookie...), '=')
	dst = append(s.Append(dst, endpoint), "; Path=/; HttpOnly; SameSite=Lax"...)
	if secure {
		dst = append(dst, "; Secure"...)
	}
	if c.For > 0 {
		dst = strconv.AppendInt(append(dst, "; Max-Age="...), int64(c.For/time.Second), 10)
	}
	return dst
}
