package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/refresh"
	"dyno.example/nanogate/internal/secure"
)

// Introspector is a client of a token introspection server (RFC 7662).
type Introspector struct {
	url, id string
	secret  *refresh.Source[string]
	asks    *secure.Transport
	http    *http.Client // by transport
}

// NewIntrospector makes one. A file that can't be used is an error.
func NewIntrospector(rules *config.Introspect) (*Introspector, error) {
	secret, err := ReadSecret(rules.Secret)
	if err != nil {
		return nil, fmt.Errorf("client-secret: %w", err)
	}
	asks, err := secure.NewTransport(rules.TLS, rules.TLSAt)
	if err != nil {
		secret.Close()
		return nil, err
	}
	return &Introspector{url: rules.URL, id: rules.ID, secret: secret, asks: asks, http: newHTTP(asks)}, nil
}

// Introspect returns the claims of a token; nil if the server says that it isn't
// active. An error says nothing about the token.
func (i *Introspector) Introspect(ctx context.Context, token string) (claims map[string]any, err error) {
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, i.url, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.SetBasicAuth(url.QueryEscape(i.id), url.QueryEscape(*i.secret.Get())) // RFC 6749 2.3.1
	resp, err := i.http.Do(req)
	if err != nil {
		return nil, &AwayError{printable(err.Error())}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &AwayError{"it responded to the introspection with " + printable(resp.Status)}
	}
	if err := json.NewDecoder(resp.Body).Decode(&claims); err != nil {
		return nil, &InvalidError{"it is no JSON object: " + printable(err.Error())}
	}
	switch active := claims["active"].(type) {
	case bool:
		if active {
			return claims, nil
		}
		return nil, nil
	default:
		return nil, &InvalidError{"it doesn't say whether the token is active (RFC 7662 2.2)"}
	}
}

// Close ends looking for the secret.
func (i *Introspector) Close() {
	i.secret.Close()
	i.asks.Close()
}
