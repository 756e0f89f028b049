package acme

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
)

// store is the directory of an authority within a storage:
//
//	account.key        the key of our account
//	NAME.pem           a certificate with its chain, behind its key
//	NAME.json          how many orders have failed, and when the next is allowed
//	NAME.lock          locked by the gateway that orders
//	challenges/TOKEN   the response to the authority's challenge
//
// NAME of *.shop.example is _.shop.example, which is no host's.
//
// All files are written atomically, and only their owner may read them.
type store struct{ dir string }

// newStore is the store of an authority. Another one's certificates stand elsewhere.
func newStore(rules *config.ACME) *store {
	_, name, _ := strings.Cut(rules.Directory, "://")
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.Trim(name, "/")))
	return &store{filepath.Join(rules.Storage, name)}
}

// File is where the certificate for a name and its key are kept.
func File(rules *config.ACME, name string) string { return newStore(rules).file(name) }

func (s *store) file(name string) string { return s.path(name, ".pem") }

// path is that of a file of a name.
func (s *store) path(name, kind string) string {
	if config.IsWildcard(name) {
		name = "_" + name[1:]
	}
	return filepath.Join(s.dir, name+kind)
}

const challengesDir = "challenges"

// prepare makes the directories, and says if nothing can be kept there.
func (s *store) prepare() error {
	if err := os.MkdirAll(filepath.Join(s.dir, challengesDir), 0o700); err != nil {
		return fmt.Errorf("the storage of certificates: %w", err)
	}
	s.sweep()
	probe, err := os.CreateTemp(s.dir, temporary)
	if err != nil {
		return fmt.Errorf("the storage of certificates: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// sweep removes files that were incomplete when a gateway crashed.
func (s *store) sweep() {
	for _, dir := range []string{s.dir, filepath.Join(s.dir, challengesDir)} {
		left, _ := filepath.Glob(filepath.Join(dir, temporary))
		for _, path := range left {
			if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > oldestOrphan {
				_ = os.Remove(path)
			}
		}
	}
}

// certificate reads the certificate for a name; nil if there is none.
func (s *store) certificate(name string) (*x509.Certificate, error) {
	b, err := readFile(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return leafOf(b, name)
}

// leafOf reads a certificate for a name out of PEM that holds its key too.
func leafOf(b []byte, name string) (*x509.Certificate, error) {
	pair, err := tls.X509KeyPair(b, b)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return nil, err
	}
	return leaf, leaf.VerifyHostname(name)
}

// save keeps a certificate with its chain, and its key.
func (s *store) save(name string, pem []byte) error { return writeFile(s.file(name), pem) }

// tries reads how many orders of a certificate have failed.
func (s *store) tries(name string) (t tries, err error) {
	b, err := readFile(s.path(name, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil || t.Failures < 0 {
		return tries{}, err
	}
	return t, nil
}

// count keeps it.
func (s *store) count(name string, t tries) error {
	if t.Failures == 0 {
		s.forget(name)
		return nil
	}
	b, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(s.path(name, ".json"), b)
}

// forget forgets it.
func (s *store) forget(name string) { _ = os.Remove(s.path(name, ".json")) }

// lock locks a name, until what it returns is called or the process ends.
func (s *store) lock(name string) (unlock func(), err error) {
	return lockFile(s.path(name, ".lock"))
}

// errLocked says that another gateway has locked a file.
var errLocked = errors.New("another gateway has locked it")

// accountKey reads the key of our account, and makes it if there is none. Of gateways
// that make it at the same time one wins, and all have that one's.
func (s *store) accountKey() (crypto.Signer, error) {
	path := filepath.Join(s.dir, "account.key")
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if b, err = newKey(); err != nil {
			return nil, err
		}
		var made string
		if made, err = writeTemporary(path, b); err == nil {
			defer os.Remove(made)
			if err = os.Link(made, path); errors.Is(err, fs.ErrExist) {
				b, err = readFile(path)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the account's key: %w", err)
	}
	return keyOf(b)
}

// newKey makes a private key, as PEM.
func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// keyOf reads one.
func keyOf(b []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(b)
	if block == nil {
		return nil, errors.New("expected a private key in PEM form")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%T can't sign", key)
	}
	return signer, nil
}

// mostFile bounds a file that is read, in bytes: a certificate with its chain has some
// thousand.
const mostFile = 1 << 20

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil && len(b) > mostFile {
		err = fmt.Errorf("%s: expected at most %d bytes", path, mostFile)
	}
	return b, err
}

// temporary is the name pattern of incomplete files.
const temporary = ".new-*"

// writeTemporary writes a file beside the one it is to become.
func writeTemporary(path string, b []byte) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), temporary) // 0600
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, bytes.NewReader(b))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), err
}

// writeFile writes a file atomically: after a crash it has its old or its new content.
func writeFile(path string, b []byte) error {
	made, err := writeTemporary(path, b)
	if err != nil {
		return err
	}
	if err := os.Rename(made, path); err != nil {
		_ = os.Remove(made)
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync() // or the name may be lost
}
