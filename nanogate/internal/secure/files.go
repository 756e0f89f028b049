package secure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"
)

// fileState identifies one state of a file.
type fileState struct {
	size     int64
	modified time.Time
}

// kept is what was made from files, and stays when what they hold now can't be used.
type kept[T any] struct {
	names []string
	make  func() (T, error)
	now   T
	seen  []fileState
	err   error // of the last making; nil if it went well
}

// look rebuilds it if a file has changed. changed says that now is another, or that
// there is another error.
func (k *kept[T]) look() (changed bool) {
	states := make([]fileState, 0, len(k.names))
	for _, name := range k.names {
		state := fileState{}
		if info, err := os.Stat(name); err == nil {
			state = fileState{info.Size(), info.ModTime()}
		}
		states = append(states, state)
	}
	if k.seen != nil && equal(states, k.seen) {
		return false
	}
	k.seen = states
	now, err := k.make()
	if k.err = err; err == nil {
		k.now = now
	}
	return true
}

func equal(a, b []fileState) bool {
	for i := range a {
		if a[i].size != b[i].size || !a[i].modified.Equal(b[i].modified) {
			return false
		}
	}
	return true
}

// pair is a certificate with its key, as its files have them.
type pair = kept[*tls.Certificate]

// newPair makes a pair whose files are not read yet.
func newPair(cert, key string, clock func() time.Time) *pair {
	p := &pair{names: []string{cert, key}}
	p.make = func() (*tls.Certificate, error) {
		c, err := loadPair(cert, key)
		if p.now != nil && err == nil {
			err = timely(c.Leaf, clock())
		}
		if err != nil {
			return nil, fmt.Errorf("certificate %s: %w", cert, err)
		}
		return c, nil
	}
	return p
}

func loadPair(cert, key string) (*tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	if c.Leaf == nil {
		c.Leaf, err = x509.ParseCertificate(c.Certificate[0])
	}
	return &c, err
}

// timely says what is wrong with a certificate that isn't valid at a time.
func timely(c *x509.Certificate, at time.Time) error {
	switch {
	case at.After(c.NotAfter):
		return fmt.Errorf("it expired at %s", c.NotAfter.UTC().Format(time.RFC3339))
	case at.Before(c.NotBefore):
		return fmt.Errorf("it isn't valid before %s", c.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

// authorities are those of a file, as it has them.
type authorities = kept[*x509.CertPool]

// newAuthorities makes authorities whose file isn't read yet; without a name they are
// nil, and stay so.
func newAuthorities(name string) *authorities {
	a := &authorities{make: func() (*x509.CertPool, error) { return nil, nil }}
	if name == "" {
		return a
	}
	a.names = []string{name}
	a.make = func() (*x509.CertPool, error) {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s: %w", name, errNoCertificates)
		}
		return pool, nil
	}
	return a
}

var errNoCertificates = errors.New("it holds no certificate in PEM form")
