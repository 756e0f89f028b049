package oidc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"dyno.example/nanogate/internal/bounds"

	lib "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Provider is an identity provider's metadata (OpenID Connect Discovery 1.0, 3), and the
// keys it signs with. The keys are fetched when a token has an unknown key, so that they
// may be rotated at any time. It is immutable.
type Provider struct {
	text     []byte
	says     metadata
	endpoint oauth2.Endpoint
	verifier *lib.IDTokenVerifier
}

// metadata is the part of it that is used here.
type metadata struct {
	lib.ProviderConfig
	Logout      string   `json:"end_session_endpoint"`                  // OpenID Connect RP-Initiated Logout 1.0, 2.1
	Revoke      string   `json:"revocation_endpoint"`                   // RFC 8414 2
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"` // none: client_secret_basic
	// The same of revocation.
	RevokeMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	SaysIssuer    bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207 3
}

// algorithms are those that ID tokens may be signed with: by keys that only the provider
// has.
var algorithms = []string{lib.RS256, lib.RS384, lib.RS512, lib.ES256, lib.ES384, lib.ES512, lib.PS256, lib.PS384, lib.PS512, lib.EdDSA}

// leeway is how far the provider's clock may be behind ours.
const leeway = 30 * time.Second

// wellKnown is where a provider says what it is (OpenID Connect Discovery 1.0, 4).
func wellKnown(issuer string) string {
	return strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
}

// parseProvider reads what a provider says of itself. What it says again changes nothing:
// the keys that are known stay.
func (c *Client) parseProvider(b []byte) (*Provider, error) {
	if c.last != nil && bytes.Equal(c.last.text, b) {
		return c.last, nil
	}
	p := &Provider{text: bytes.Clone(b)}
	if err := json.Unmarshal(b, &p.says); err != nil {
		return nil, err
	}
	says := &p.says
	if says.IssuerURL != c.rules.Issuer {
		return nil, fmt.Errorf("it says that it is %q: issuer must be that, to the letter", says.IssuerURL)
	}
	says.Algorithms = slices.DeleteFunc(says.Algorithms, func(name string) bool { return !slices.Contains(algorithms, name) })
	secure := strings.HasPrefix(c.rules.Issuer, "https://")
	for _, one := range []struct {
		name, url string
		needed    bool
	}{
		{"authorization_endpoint", says.AuthURL, true}, {"token_endpoint", says.TokenURL, true}, {"jwks_uri", says.JWKSURL, true}, {"end_session_endpoint", says.Logout, false},
		{"revocation_endpoint", says.Revoke, false},
	} {
		u, err := url.Parse(one.url)
		if !one.needed && one.url == "" {
			continue
		}
		if err != nil || u.Host == "" || u.Scheme != "https" && (secure || u.Scheme != "http") {
			return nil, fmt.Errorf("its %s is %q, which is no URL that could be used", one.name, one.url)
		}
	}
	p.endpoint = oauth2.Endpoint{AuthURL: says.AuthURL, TokenURL: says.TokenURL, AuthStyle: oauth2.AuthStyleInHeader}
	if c.secret == nil || len(says.AuthMethods) > 0 && !slices.Contains(says.AuthMethods, "client_secret_basic") {
		p.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	asks := *c.http
	asks.Transport = &limitedFetch{by: c.http.Transport, now: time.Now, spared: bounds.FetchLimit{Burst: keysBurst, Every: keysEvery}}
	ctx := lib.ClientContext(context.Background(), &asks)
	p.verifier = says.NewProvider(ctx).Verifier(&lib.Config{
		ClientID: c.rules.ID,
		Now:      func() time.Time { return c.now().Add(-leeway) },
	})
	c.last = p
	return p, nil
}

// verify verifies an ID token that came with an access token (OpenID Connect Core 1.0,
// 3.1.3.7, 3.1.3.8). A nonce that is empty isn't looked at.
func (c *Client) verify(ctx context.Context, p *Provider, token *oauth2.Token, nonce string) (raw string, id *lib.IDToken, err error) {
	raw, _ = token.Extra("id_token").(string)
	if raw == "" {
		return "", nil, errors.New("there is no ID token")
	}
	if id, err = p.verifier.Verify(ctx, raw); err != nil {
		return "", nil, err
	}
	var more struct {
		Party string `json:"azp"`
	}
	if err := id.Claims(&more); err != nil {
		return "", nil, err
	}
	switch {
	case id.Subject == "":
		return "", nil, errors.New("it names no user (sub)")
	case more.Party != "" && more.Party != c.rules.ID:
		return "", nil, errors.New("it was made for another client (azp)")
	case nonce != "" && !equal(id.Nonce, nonce):
		return "", nil, errors.New("it was made for another login (nonce)")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return "", nil, err
		}
	}
	return raw, id, nil
}

// AwayError is of a provider that can't be reached, or fails itself.
type AwayError struct{ Reason string }

func (e *AwayError) Error() string { return "the identity provider: " + e.Reason }

// RefusedError is of a provider that says no. Its code is one of RFC 6749 5.2 and others.
type RefusedError struct{ Code string }

func (e *RefusedError) Error() string { return "the identity provider refuses: " + e.Code }

// InvalidError is of a response of the provider that isn't valid.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "the identity provider's response: " + e.Reason }

// tokenError is the error of a token request.
func tokenError(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return &AwayError{printable(err.Error())}
	}
	status, code := refused.Response.StatusCode, printable(cmp.Or(refused.ErrorCode, refused.Response.Status))
	switch {
	case status == 401 || code == "invalid_client" || code == "unauthorized_client":
		// That is between it and the gateway: whoever logs in can't help it.
		return &AwayError{"it doesn't take client-id and client-secret: " + code}
	case status == 429 || status >= 500 || isTrouble(code):
		return &AwayError{code}
	}
	return &RefusedError{code}
}

// isTrouble reports whether a code says that the provider is in trouble (RFC 6749
// 4.1.2.1).
func isTrouble(code string) bool { return code == "server_error" || code == "temporarily_unavailable" }

// printable is a text from outside, made safe for logs and responses.
func printable(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text[:min(len(text), most)])
	return strings.TrimSpace(text)
}
