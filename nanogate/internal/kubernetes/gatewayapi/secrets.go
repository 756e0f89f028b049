package gatewayapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"dyno.example/nanogate/internal/kubernetes"
)

// Secret is what of a Secret is used: a certificate with its key.
type Secret struct {
	Pair    *tls.Certificate // nil: there is none that could be shown
	Problem string           // of what stands there now; "": nothing is wrong with it
	sum     [sha256.Size]byte
}

// mostSecrets bounds how many Secrets are read, each by a watch of its own.
const mostSecrets = 1000

// newSecret reads a Secret. What can't be used leaves the certificate that was there
// before. Nothing of what stands in it is in the problem.
func newSecret(s *core.Secret, before *Secret, now time.Time) *Secret {
	made := &Secret{}
	h := sha256.New()
	for _, part := range []string{core.TLSCertKey, core.TLSPrivateKeyKey} {
		one := sha256.Sum256(s.Data[part])
		h.Write(one[:])
	}
	h.Sum(made.sum[:0])
	if before == nil {
		before = &Secret{}
	} else if before.sum == made.sum && before.Pair != nil && before.Problem == "" {
		return before
	}
	pair, err := pairOf(s)
	switch {
	case err != nil:
		made.Pair, made.Problem = before.Pair, err.Error()
	case now.After(pair.Leaf.NotAfter):
		made.Problem = "its certificate expired at " + pair.Leaf.NotAfter.UTC().Format(time.RFC3339)
		if made.Pair = pair; before.Pair != nil && now.Before(before.Pair.Leaf.NotAfter) {
			made.Pair = before.Pair
		}
	default:
		made.Pair = pair
	}
	return made
}

// pairOf reads the certificate and key of a Secret of the type kubernetes.io/tls.
func pairOf(s *core.Secret) (*tls.Certificate, error) {
	if s.Type != core.SecretTypeTLS {
		return nil, fmt.Errorf("it is of the type %q, not %s", s.Type, core.SecretTypeTLS)
	}
	cert, key := bytes.TrimSpace(s.Data[core.TLSCertKey]), bytes.TrimSpace(s.Data[core.TLSPrivateKeyKey])
	switch {
	case len(cert) == 0:
		return nil, errors.New("it has no " + core.TLSCertKey)
	case len(key) == 0:
		return nil, errors.New("it has no " + core.TLSPrivateKeyKey)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, errors.New(core.TLSCertKey + " and " + core.TLSPrivateKeyKey + " are no certificate in PEM form with its key")
	}
	if pair.Leaf == nil {
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, errors.New(core.TLSCertKey + " holds no certificate that can be read")
		}
	}
	return &pair, nil
}

// want has those Secrets read that listeners name, and no others. It is for the goroutine
// that translates.
func (f *Follower) want(ctx context.Context, names []Name) {
	wanted := make(map[Name]bool, len(names))
	for _, name := range names {
		wanted[name] = true
		if f.reading[name] == nil {
			one, end := context.WithCancel(ctx)
			f.reading[name] = end
			f.readSecret(one, name)
		}
	}
	for name, end := range f.reading {
		if !wanted[name] {
			end()
			delete(f.reading, name)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.objects.Secrets, func(name Name, _ *Secret) bool { return !wanted[name] })
	maps.DeleteFunc(f.failing, func(resource string, _ error) bool {
		name, ok := secretOf(resource)
		return ok && !wanted[name]
	})
	f.assess()
}

// readSecret reads one Secret until ctx ends. A list and watch of one name is what a role
// can allow for just that one.
func (f *Follower) readSecret(ctx context.Context, name Name) {
	set := func(s *core.Secret) { f.changed("", func() { f.setSecret(ctx, name, s) }) }
	f.ended.Go(func() {
		kubernetes.Read(ctx, f.cluster, kubernetes.Resource{
			Group: core.SchemeGroupVersion, Name: "secrets", Namespace: name.Namespace, Fields: "metadata.name=" + name.Name,
			Kind: &core.Secret{}, List: func() runtime.Object { return &core.SecretList{} },
		}, kubernetes.Handler[core.Secret]{
			Replace: func(list []*core.Secret) {
				if len(list) == 0 {
					set(nil)
					return
				}
				set(list[0])
			},
			Change: func(s *core.Secret, gone bool) {
				if gone {
					s = nil
				}
				set(s)
			},
			Status: func(err error) {
				if ctx.Err() == nil {
					f.noteSecret(name, err)
				}
			},
		})
	})
}

// setSecret takes what a Secret is now, nil if there is none, unless nobody wants it any
// more. f.mu is held.
func (f *Follower) setSecret(ctx context.Context, name Name, s *core.Secret) {
	if ctx.Err() != nil {
		return
	}
	before, made := f.objects.Secrets[name], &Secret{Problem: "there is none"}
	if s != nil {
		made = newSecret(s, before, time.Now())
	}
	f.objects.Secrets[name] = made
	switch {
	case made == before:
	case made.Problem != "":
		f.log.Warn("a Secret can't be used for TLS", "secret", name, "problem", made.Problem, "shown", made.Pair != nil)
	default:
		f.log.Info("using the certificate of a Secret", "secret", name, "expires", made.Pair.Leaf.NotAfter.UTC())
	}
}

// noteSecret keeps how reading a Secret goes. What was read stays.
func (f *Follower) noteSecret(name Name, err error) {
	f.mu.Lock()
	if err != nil && f.objects.Secrets[name] == nil {
		f.objects.Secrets[name] = &Secret{Problem: "it can't be read: " + err.Error()}
		wake(f.dirty)
	}
	f.mu.Unlock()
	f.note(secretPrefix+name.String(), err)
}

// secretPrefix is before the names of Secrets among resources that are read.
const secretPrefix = "secret "

func secretOf(resource string) (name Name, ok bool) {
	text, ok := strings.CutPrefix(resource, secretPrefix)
	if ok {
		name.Namespace, name.Name, _ = strings.Cut(text, "/")
	}
	return name, ok
}
