package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Address is the content address of a run that has ended: the SHA-256, as 64
// lower-case hexadecimal digits, of its SHA256SUMS, which has one form only (see
// [Sums.Bytes]) and holds the SHA-256 of every file of the run's record. Two
// runs with the same address are the same to the byte. It is empty for a run
// that has not ended.
type Address string

// scheme may precede an address where a user gives one.
const scheme = "sha256:"

// ShortAddress is how many digits of an address are shown in lists, and
// leastAddress how many of them mean a run.
const (
	ShortAddress = 12
	leastAddress = 6
)

// addressOf is the address of a run with that SHA256SUMS.
func addressOf(sums []byte) Address {
	digest := sha256.Sum256(sums)
	return Address(hex.EncodeToString(digest[:]))
}

// ParseAddress takes a full address, with or without "sha256:".
func ParseAddress(text string) (Address, error) {
	digits := strings.TrimPrefix(text, scheme)
	if !isHex(digits) || len(digits) != hex.EncodedLen(sha256.Size) {
		return "", fmt.Errorf("%q is not an address: 64 lower-case hexadecimal digits", text)
	}
	return Address(digits), nil
}

// String is the address as it is shown to users, with the kind of its hash.
func (a Address) String() string {
	if a == "" {
		return ""
	}
	return scheme + string(a)
}

// Short is the beginning of the address, for lists.
func (a Address) Short() string { return string(a[:min(len(a), ShortAddress)]) }

// begins reports whether ref is the beginning of the address.
func (a Address) begins(ref string) bool {
	return a != "" && likeAddress(ref) && strings.HasPrefix(string(a), strings.TrimPrefix(ref, scheme))
}

// likeAddress reports whether ref can be the beginning of an address.
func likeAddress(ref string) bool {
	digits := strings.TrimPrefix(ref, scheme)
	return len(digits) >= leastAddress && isHex(digits)
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// addressFile keeps a run's address next to its sums, in the form that
// "sha256sum --check" reads. Runs of older versions lack it.
const addressFile = SumsFile + ".sha256"

// line is the content of the address's file.
func (a Address) line() []byte { return fmt.Appendf(nil, "%s  %s\n", string(a), SumsFile) }

// checkAddress compares the address with the one that the folder's run was
// given when it ended.
func checkAddress(dir string, have Address) *Damage {
	path := filepath.Join(dir, addressFile)
	content, err := readBounded(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &Damage{File: path, Err: err}
	case bytes.Equal(content, have.line()):
		return nil
	}
	kept, _, _ := strings.Cut(string(content), " ")
	if want, err := ParseAddress(kept); err == nil && bytes.Equal(content, want.line()) {
		return &Damage{File: filepath.Join(dir, SumsFile), Err: fmt.Errorf("was changed since the run ended: its SHA-256 is %s, not the run's address %s", string(have), string(want))}
	}
	return &Damage{File: path, Line: 1, Err: errors.New("is not an address, two spaces and " + SumsFile)}
}

// readAddress reads the address of the run in the folder, which has ended,
// without looking at the files that it stands for.
func readAddress(dir string) (Address, error) {
	s, err := readSums(dir)
	if err != nil {
		return "", err
	}
	if damage := checkAddress(dir, s.Address()); damage != nil {
		return "", damage
	}
	return s.Address(), nil
}
