package request

// Refusal is why the gateway refused a request itself, for the log and metrics. The client
// gets only [Reply.Detail]. There are few, and none holds anything that a client has sent.
type Refusal uint8

const (
	NotRefused Refusal = iota

	// What is no request that can be served, and for which there is no route.
	RefusedHead
	RefusedHeadTooLarge
	RefusedPath
	RefusedAmbiguous
	RefusedBody
	RefusedBodyTooLarge
	RefusedSlow
	RefusedClear
	RefusedNoRoute
	RefusedMethod
	RefusedBroken
	RefusedOverload
	RefusedFault
	RefusedConnections
	RefusedNotStored

	// Guards.
	RefusedAddress
	RefusedOrigin
	RefusedForged
	RefusedNoCertificate
	RefusedCertificate
	RefusedCertificateName
	RefusedCertificateExpired
	RefusedCertificateDisowned
	RefusedNoKey
	RefusedKey
	RefusedNoPassword
	RefusedPassword
	RefusedPasswordCrowd
	RefusedPasswordUndecided
	RefusedFailures
	RefusedClaim
	RefusedNoToken
	RefusedToken
	RefusedTokenMalformed
	RefusedTokenSignature
	RefusedTokenKey
	RefusedTokenExpired
	RefusedTokenEarly
	RefusedTokenAge
	RefusedTokenType
	RefusedTokenIssuer
	RefusedTokenAudience
	RefusedTokenClaim
	RefusedTokenClaims
	RefusedTokenNoKeys
	RefusedAskedNoToken
	RefusedAskedLong
	RefusedAskedInactive
	RefusedAskedExpired
	RefusedAskedEarly
	RefusedAskedIssuer
	RefusedAskedAudience
	RefusedAskedClaims
	RefusedAskedCrowd
	RefusedAskedAway
	RefusedNoSession
	RefusedSessionClaims
	RefusedLogin
	RefusedLoginProvider
	RefusedLoginNotReady
	RefusedLoginAway
	RefusedLoginCrowd
	RefusedLoginClear
	RefusedRule
	RefusedRuleFailed
	RefusedMiddleware
	RefusedMiddlewareFailed
	RefusedMiddlewareUndecided

	// Limits.
	RefusedRate
	RefusedRateAway
	RefusedConcurrency
	RefusedQueue
	RefusedShed
	RefusedBreaker

	// Calls made of JSON.
	RefusedCallUnknown
	RefusedCallMethod
	RefusedCallType

	Refusals = iota // how many there are
)

var refusals = [Refusals]string{
	NotRefused:          "",
	RefusedHead:         "bad request",
	RefusedHeadTooLarge: "head too large",
	RefusedPath:         "bad path",
	RefusedAmbiguous:    "ambiguous",
	RefusedBody:         "bad body",
	RefusedBodyTooLarge: "body too large",
	RefusedSlow:         "too slow",
	RefusedClear:        "no TLS",
	RefusedNoRoute:      "no route",
	RefusedMethod:       "no route for the method",
	RefusedBroken:       "route can't be built",
	RefusedOverload:     "overload",
	RefusedFault:        "fault injected",
	RefusedConnections:  "no room for connections",
	RefusedNotStored:    "cache: only-if-cached",

	RefusedAddress:             "access: address",
	RefusedOrigin:              "cors: origin",
	RefusedForged:              "csrf: origin",
	RefusedNoCertificate:       "mtls: no certificate",
	RefusedCertificate:         "mtls: another subject",
	RefusedCertificateName:     "mtls: ambiguous name",
	RefusedCertificateExpired:  "mtls: expired",
	RefusedCertificateDisowned: "mtls: authority gone",
	RefusedNoKey:               "keys: no key",
	RefusedKey:                 "keys: unknown key",
	RefusedNoPassword:          "basic: no password",
	RefusedPassword:            "basic: wrong",
	RefusedPasswordCrowd:       "basic: too many at once",
	RefusedPasswordUndecided:   "basic: undecided",
	RefusedFailures:            "guards: too many failures",
	RefusedClaim:               "guards: unclear claim",
	RefusedNoToken:             "jwt: no token",
	RefusedToken:               "jwt: not verifiable",
	RefusedTokenMalformed:      "jwt: malformed",
	RefusedTokenSignature:      "jwt: signature",
	RefusedTokenKey:            "jwt: unknown key",
	RefusedTokenExpired:        "jwt: expired",
	RefusedTokenEarly:          "jwt: not valid yet",
	RefusedTokenAge:            "jwt: too old",
	RefusedTokenType:           "jwt: type",
	RefusedTokenIssuer:         "jwt: issuer",
	RefusedTokenAudience:       "jwt: audience",
	RefusedTokenClaim:          "jwt: claim missing",
	RefusedTokenClaims:         "jwt: claims",
	RefusedTokenNoKeys:         "jwt: no keys yet",
	RefusedAskedNoToken:        "introspect: no token",
	RefusedAskedLong:           "introspect: too long",
	RefusedAskedInactive:       "introspect: inactive",
	RefusedAskedExpired:        "introspect: expired",
	RefusedAskedEarly:          "introspect: not valid yet",
	RefusedAskedIssuer:         "introspect: issuer",
	RefusedAskedAudience:       "introspect: audience",
	RefusedAskedClaims:         "introspect: claims",
	RefusedAskedCrowd:          "introspect: too many at once",
	RefusedAskedAway:           "introspect: server away",
	RefusedNoSession:           "oidc: no session",
	RefusedSessionClaims:       "oidc: claims",
	RefusedLogin:               "oidc: login not begun here",
	RefusedLoginProvider:       "oidc: refused by provider",
	RefusedLoginNotReady:       "oidc: provider unknown yet",
	RefusedLoginAway:           "oidc: provider away",
	RefusedLoginCrowd:          "oidc: too many at once",
	RefusedLoginClear:          "oidc: no TLS",
	RefusedRule:                "rules: denied",
	RefusedRuleFailed:          "rules: not evaluated",
	RefusedMiddleware:          "middleware: denied",
	RefusedMiddlewareFailed:    "middleware: failed",
	RefusedMiddlewareUndecided: "middleware: undecided",

	RefusedRate:        "limit: rate",
	RefusedRateAway:    "limit: redis away",
	RefusedConcurrency: "limit: concurrency",
	RefusedQueue:       "limit: queue",
	RefusedShed:        "limit: shed",
	RefusedBreaker:     "limit: breaker",

	RefusedCallUnknown: "grpc-json: no schema yet",
	RefusedCallMethod:  "grpc-json: no method",
	RefusedCallType:    "grpc-json: content type",
}

// String is the reason in logs and metrics, "guard: what"; "" for none.
func (r Refusal) String() string { return refusals[r] }

// For returns the reply with a reason.
func (a *Reply) For(why Refusal) *Reply {
	named := *a
	named.Why = why
	return &named
}
