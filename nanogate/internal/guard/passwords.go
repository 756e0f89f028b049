package guard

import (
	"bufio"
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// passwords are the users of a file with what their passwords are verified against. A
// set isn't changed.
type passwords struct {
	users       map[string]password
	unknownUser password    // takes as long as the slowest of them, so that timing doesn't reveal unknown users
	right       *credential // what is remembered of credentials that are right
}

// password verifies one password.
type password interface {
	matches(password []byte) bool
	effort() int // to find the slowest; roughly the time it takes
}

// What verifying may cost: a file must not make one request take seconds.
const (
	mostBcryptCost  = 15
	mostArgonMemory = 128 << 10 // KiB
	mostArgonTime   = 32
	mostArgonLanes  = 16
)

// parsePasswords reads a file of passwords as Apache's htpasswd writes it: "user:hash" a
// line, those that begin with # and empty ones left out. Hashes are bcrypt's and, in the
// form of the PHC (github.com/P-H-C/phc-string-format), argon2id's. Messages don't hold
// hashes.
func parsePasswords(b []byte) (*passwords, error) {
	p := &passwords{users: map[string]password{}, right: &credential{}}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		user, hash, found := strings.Cut(line, ":")
		if !found || user == "" || hasControl([]byte(user)) {
			return nil, fmt.Errorf("line %d: expected \"user:hash\"", n)
		}
		if _, twice := p.users[user]; twice {
			return nil, fmt.Errorf("line %d: the user %q is there already", n, user)
		}
		one, err := parseHash(hash)
		if err != nil {
			return nil, fmt.Errorf("line %d: the hash of %q: %w", n, user, err)
		}
		p.users[user] = one
		if p.unknownUser == nil || one.effort() > p.unknownUser.effort() {
			p.unknownUser = one
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	p.right.with = p
	if len(p.users) == 0 {
		return nil, errors.New("it holds no user")
	}
	return p, nil
}

// verify reports whether the password is the user's. It takes as long for users that
// aren't there.
func (p *passwords) verify(user string, password []byte) bool {
	one, known := p.users[user]
	if !known {
		one = p.unknownUser
	}
	return one.matches(password) && known
}

// parseHash reads a hash, whose kind its beginning says.
func parseHash(text string) (password, error) {
	const fix = "make it again with htpasswd -B"
	switch {
	case strings.HasPrefix(text, "$2a$"), strings.HasPrefix(text, "$2b$"), strings.HasPrefix(text, "$2y$"):
		return parseBcrypt(text)
	case strings.HasPrefix(text, "$argon2id$"):
		return parseArgon(text)
	case strings.HasPrefix(text, "{SHA}"), strings.HasPrefix(text, "$apr1$"), strings.HasPrefix(text, "$1$"):
		return nil, errors.New("SHA-1 and MD5 are too fast to keep a password: " + fix)
	}
	return nil, errors.New("expected bcrypt ($2y$…) or argon2id ($argon2id$…): " + fix)
}

// bcryptHash is a hash of bcrypt, in its text form.
type bcryptHash struct {
	text []byte
	cost int
}

func parseBcrypt(text string) (password, error) {
	cost, err := bcrypt.Cost([]byte(text))
	if err != nil || len(text) != 60 || strings.Trim(text[7:], "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return nil, errors.New("this is not a whole bcrypt hash of 60 characters")
	}
	if cost < bcrypt.MinCost || cost > mostBcryptCost {
		return nil, fmt.Errorf("expected a cost from %d to %d, got %d", bcrypt.MinCost, mostBcryptCost, cost)
	}
	return bcryptHash{[]byte(text), cost}, nil
}

// longestBcrypt is how many bytes of a password bcrypt uses: longer ones are refused, as
// the rest would not be checked.
const longestBcrypt = 72

func (h bcryptHash) matches(password []byte) bool {
	return bcrypt.CompareHashAndPassword(h.text, password[:min(len(password), longestBcrypt)]) == nil && len(password) <= longestBcrypt
}

func (h bcryptHash) effort() int { return 1 << h.cost }

// argonHash is a hash of argon2id (RFC 9106).
type argonHash struct {
	time, memory uint32 // KiB
	lanes        uint8
	salt, sum    []byte
}

// parseArgon reads $argon2id$v=19$m=65536,t=3,p=4$salt$hash.
func parseArgon(text string) (password, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[2] != "v=19" {
		return nil, errors.New("expected $argon2id$v=19$m=…,t=…,p=…$salt$hash")
	}
	var h argonHash
	var lanes uint32
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.time, &lanes); err != nil || n != 3 || fmt.Sprintf("m=%d,t=%d,p=%d", h.memory, h.time, lanes) != parts[3] {
		return nil, errors.New("expected m=…,t=…,p=… of argon2id")
	}
	if h.memory < 8*lanes || h.memory > mostArgonMemory || h.time < 1 || h.time > mostArgonTime || lanes < 1 || lanes > mostArgonLanes {
		return nil, fmt.Errorf("expected m from 8 for each lane to %d, t from 1 to %d, p from 1 to %d", mostArgonMemory, mostArgonTime, mostArgonLanes)
	}
	h.lanes = uint8(lanes)
	var err, err2 error
	h.salt, err = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.sum, err2 = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if err != nil || err2 != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.sum) < 16 || len(h.sum) > 64 {
		return nil, errors.New("expected a salt of 8 to 64 bytes and a hash of 16 to 64 bytes, in base64 without padding")
	}
	return h, nil
}

func (h argonHash) matches(password []byte) bool {
	sum := argon2.IDKey(password, h.salt, h.time, h.memory, h.lanes, uint32(len(h.sum)))
	return subtle.ConstantTimeCompare(sum, h.sum) == 1
}

// effort puts argon2id beside bcrypt: a pass over 4 MiB takes about as long as cost 5.
func (h argonHash) effort() int { return int(h.time) * int(h.memory) / 128 }

// hasControl reports whether there are control characters, which neither names nor
// passwords have (RFC 7617 2).
func hasControl(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == 0x7f {
			return true
		}
	}
	return false
}
