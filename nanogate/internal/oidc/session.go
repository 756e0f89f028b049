package oidc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Session is a user's login, its lifetime, and its tokens. It is encrypted in the
// browser's cookies; a gateway keeps none. It is immutable.
type Session struct {
	Until    time.Time // when it is over, whatever is renewed
	Began    time.Time // by the provider's clock
	Obtained time.Time // when the provider gave the tokens
	Expires  time.Time // when they are worth no more
	ID       string    // ID token, which was verified
	Access   string    // access token; "": not needed
	Refresh  string    // "": they can't be renewed
	Kept     string    // claims that the ID token of a renewal has left out, as a JSON object; "": none
	SID      string    // the provider's name of the session at the login, if the ID token doesn't say that one
}

// stored is how a session lies in its cookies. Seconds are enough.
type stored struct {
	Until    int64  `json:"u"`
	Began    int64  `json:"b"`
	Obtained int64  `json:"o"`
	Expires  int64  `json:"e"`
	ID       string `json:"i"`
	Access   string `json:"a,omitempty"`
	Refresh  string `json:"r,omitempty"`
	SID      string `json:"s,omitempty"`
	Kept     string `json:"k,omitempty"`
}

// TooLargeError is of a session that cookies can't hold.
type TooLargeError struct{ Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the session has %d bytes, and cookies hold %d: have the provider say less in its tokens, or ask for fewer scopes", e.Bytes, MostCookies*cookieBytes)
}

// Ends is when the session must be renewed at the provider.
func (s *Session) Ends() time.Time {
	if s.Expires.Before(s.Until) {
		return s.Expires
	}
	return s.Until
}

// RenewAt is when its tokens should be renewed: when a fifth of their time is left, or a
// minute.
func (s *Session) RenewAt() time.Time {
	return s.Expires.Add(-min(time.Minute, s.Expires.Sub(s.Obtained)/5))
}

// Claims are what the ID token says, and what is kept of those before. Their signatures
// were verified before they were stored.
func (s *Session) Claims() (map[string]any, error) {
	claims, err := claimsOf(s.ID)
	if err != nil || s.Kept == "" || claims == nil {
		return claims, err
	}
	var kept map[string]any
	if err := json.Unmarshal([]byte(s.Kept), &kept); err != nil {
		return nil, err
	}
	for name, value := range kept {
		if _, said := claims[name]; !said {
			claims[name] = value
		}
	}
	return claims, nil
}

// claimsOf are what an ID token says.
func claimsOf(token string) (claims map[string]any, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, errors.New("the ID token is none")
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	return claims, json.Unmarshal(b, &claims)
}

// seal writes a session's cookies.
func (c *Client) seal(s *Session) ([]string, error) {
	b, err := json.Marshal(stored{s.Until.Unix(), s.Began.Unix(), s.Obtained.Unix(), s.Expires.Unix(), s.ID, s.Access, s.Refresh, s.SID, s.Kept})
	if err != nil {
		return nil, err
	}
	return c.Cookies.split(c.keys.Get().Seal(c.purpose+"session", b), s.Until.Sub(c.now()))
}

// Open reads the session that was split into cookies. It fails for a session that has
// expired, was made for another client, or was changed.
func (c *Client) Open(keys *Keys, parts [][]byte) (*Session, error) {
	b, err := keys.Open(c.purpose+"session", bytes.Join(parts, nil))
	if err != nil {
		return nil, err
	}
	var in stored
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, err
	}
	s := &Session{time.Unix(in.Until, 0), time.Unix(in.Began, 0), time.Unix(in.Obtained, 0), time.Unix(in.Expires, 0), in.ID, in.Access, in.Refresh, in.Kept, in.SID}
	s.Until = c.until(s)
	now := c.now()
	if !now.Before(s.Until) || s.Refresh == "" && !now.Before(s.Expires) {
		return nil, errors.New("it is over")
	}
	return s, nil
}
