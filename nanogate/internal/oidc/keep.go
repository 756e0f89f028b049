package oidc

import (
	"encoding/json"
	"slices"
)

// The ID token of a renewal needn't say what that of the login said: OpenID Connect Core
// 1.0, 12.2, has it repeat iss, sub and aud only. What it leaves out of the login itself is
// still so; what it leaves out of the person may have been taken away.

// ofLogin are claims about the login, which a renewal can't change.
var ofLogin = []string{"sid", "auth_time", "acr", "amr", "nonce"}

// ofToken are claims about a token, or that all have.
var ofToken = []string{"iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "at_hash", "c_hash", "s_hash"}

// keep gives a renewed session what the session before is known by: before are the claims
// of that.
func (s *Session) keep(from *Session, before map[string]any) error {
	after, err := claimsOf(s.ID)
	if err != nil {
		return err
	}
	s.SID = from.SID
	if sid, ok := before["sid"].(string); ok && s.SID == "" {
		s.SID = sid
	}
	kept := keptOf(before, after)
	if s.SID == after["sid"] || s.SID == kept["sid"] {
		s.SID = ""
	}
	if len(kept) == 0 {
		return nil
	}
	text, err := json.Marshal(kept)
	s.Kept = string(text)
	return err
}

// keptOf are the claims of the session before that count beside those of the new ID token.
// One that says nothing of the person leaves that to the one before, as a renewal without an
// ID token does; else what it doesn't say isn't so any more.
func keptOf(before, after map[string]any) map[string]any {
	kept, silent := map[string]any{}, true
	for name := range after {
		silent = silent && (slices.Contains(ofLogin, name) || slices.Contains(ofToken, name))
	}
	for name, value := range before {
		if _, said := after[name]; said || slices.Contains(ofToken, name) {
			continue
		}
		if silent || slices.Contains(ofLogin, name) {
			kept[name] = value
		}
	}
	return kept
}
