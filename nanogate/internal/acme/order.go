package acme

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"dyno.example/nanogate/internal/config"
)

// account is ours at an authority.
type account struct {
	client *acme.Client

	mu    sync.Mutex
	known acme.Account // its status is empty until it is known
}

// Bounds of what an authority says and of how long that takes.
const (
	mostResponse = 1 << 20 // bytes
	mostWait     = 30 * time.Second
	mostPoll     = 2 * time.Minute
)

// Check reads the files that settings name, which may be nil. It opens no connection.
func Check(rules *config.ACME) error {
	if rules == nil {
		return nil
	}
	_, err := newClient(rules, 0)
	if rules.AccountKey != "" && err == nil {
		_, err = readFile(rules.AccountKey)
	}
	if rules.DNS != nil && err == nil {
		_, err = readTSIG(rules.DNS.Key)
	}
	return err
}

func newClient(rules *config.ACME, poll time.Duration) (*acme.Client, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: mostWait, ResponseHeaderTimeout: mostWait, MaxResponseHeaderBytes: 64 << 10,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if rules.CA != "" {
		b, err := readFile(rules.CA)
		if err != nil {
			return nil, fmt.Errorf("who signs the authority's own certificate: %w", err)
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(b) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", rules.CA)
		}
	}
	return &acme.Client{
		Directory: rules.Directory, UserAgent: "nanogate", PollInterval: poll, PollTimeout: mostPoll,
		HTTPClient: &http.Client{Transport: bounded{transport}, Timeout: mostWait},
	}, nil
}

// bounded cuts responses that are too long, which then fail to parse.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, mostResponse), resp.Body}
	}
	return resp, err
}

// registered returns our account, which is made if the authority doesn't know our key.
func (i *issuer) registered(ctx context.Context) (acme.Account, error) {
	a := &i.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known.Status == acme.StatusValid {
		return a.known, nil
	}
	key, err := i.store.accountKey()
	if err != nil {
		return acme.Account{}, err
	}
	wanted := acme.Account{PrivateKey: key, TermsOfServiceAgreed: true}
	if i.rules.Email != "" {
		wanted.Contact = []string{"mailto:" + i.rules.Email}
	}
	known, err := a.client.GetAccount(ctx, acme.Account{PrivateKey: key})
	switch {
	case unknownAccount(err):
		if known, err = i.register(ctx, wanted); err != nil {
			return acme.Account{}, fmt.Errorf("making an account: %w", err)
		}
		i.log.Info("there is an account now", "at", known.Location)
	case err != nil:
		return acme.Account{}, fmt.Errorf("looking for our account: %w", err)
	case len(known.Contact) > 0 && !slices.Equal(known.Contact, wanted.Contact):
		changed := acme.Account{Location: known.Location, Contact: wanted.Contact, PrivateKey: key}
		if known, err = a.client.UpdateAccount(ctx, changed); err != nil {
			return acme.Account{}, fmt.Errorf("telling another e-mail address: %w", err)
		}
	}
	a.known = known
	return known, nil
}

// register makes an account.
func (i *issuer) register(ctx context.Context, wanted acme.Account) (acme.Account, error) {
	if i.rules.AccountKey != "" {
		b, err := readFile(i.rules.AccountKey)
		if err != nil {
			return acme.Account{}, err
		}
		key := strings.TrimRight(strings.TrimSpace(string(b)), "=")
		if err := wanted.SetExternalAccountBinding(ctx, i.account.client, acme.EAB{KeyID: i.rules.AccountID, MACKey: key}); err != nil {
			return acme.Account{}, err
		}
	}
	return i.account.client.NewAccount(ctx, wanted)
}

func unknownAccount(err error) bool {
	problem := acme.Problem{}
	return errors.As(err, &problem) && problem.Type == acme.ProblemTypeAccountDoesNotExist
}

// obtain orders a certificate for a name. before is the one that it replaces; failures
// counts the orders that have failed. The certificate is returned as PEM, behind its
// key.
func (i *issuer) obtain(ctx context.Context, name string, before *x509.Certificate, failures int) (made []byte, leaf *x509.Certificate, err error) {
	account, err := i.registered(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	key, err := keyOf(text)
	if err != nil {
		return nil, nil, err
	}
	csr, err := acmez.NewCSR(key, []string{name})
	if err != nil {
		return nil, nil, err
	}
	order, err := acmez.OrderParametersFromCSR(account, csr)
	if err != nil {
		return nil, nil, err
	}
	// A renewal in the suggested window is exempt from rate limits if the order names
	// what it replaces (RFC 9773 5). If the authority refuses that, the next order leaves
	// it out.
	if dir, err := i.account.client.GetDirectory(ctx); err == nil && dir.RenewalInfo != "" && failures == 0 {
		order.Replaces = before
	}
	// One way a try: each failed check counts with the authority.
	kind := i.rules.Challenges[failures%len(i.rules.Challenges)]
	if config.IsWildcard(name) {
		kind = config.DNS01 // the only one that there is
	}
	client := &acmez.Client{Client: i.account.client, ChallengeSolvers: map[string]acmez.Solver{kind: i.solver(kind)}}
	chains, err := client.ObtainCertificate(ctx, order)
	if err != nil {
		if unknownAccount(err) {
			i.forgetAccount()
		}
		return nil, nil, fmt.Errorf("by %s: %w", kind, err)
	}
	if len(chains) == 0 {
		return nil, nil, errors.New("the authority gave no certificate")
	}
	made = bytes.Join([][]byte{bytes.TrimSpace(text), chains[0].ChainPEM}, []byte("\n"))
	leaf, err = leafOf(made, name)
	if err != nil {
		return nil, nil, fmt.Errorf("the certificate that the authority gave: %w", err)
	}
	return made, leaf, nil
}

// forgetAccount makes the next order look the account up again.
func (i *issuer) forgetAccount() {
	i.account.mu.Lock()
	defer i.account.mu.Unlock()
	i.account.known = acme.Account{}
}
