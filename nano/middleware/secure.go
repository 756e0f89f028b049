package middleware

import (
	"strconv"
	"time"

	"dyno.example/nano"
)

// SecureConfig is how [Secure] works. Each field can be left out with "-".
type SecureConfig struct {
	// HSTS is how long browsers must use TLS for this host; default a year. It is
	// sent over TLS only (RFC 6797 7.2). Negative: not sent.
	HSTS time.Duration
	// HSTSDomains extends it to the hosts below this one.
	HSTSDomains bool
	// BehindTLS says that a proxy in front of the server ends TLS, so that all that
	// arrives has come by TLS.
	BehindTLS bool
	// CSP is the Content-Security-Policy; default "default-src 'self'; object-src
	// 'none'; base-uri 'self'; frame-ancestors 'none'".
	CSP string
	// ReportCSP sends it as Content-Security-Policy-Report-Only.
	ReportCSP bool
	// Frame is X-Frame-Options, for old browsers; default DENY.
	Frame string
	// Referrer is the Referrer-Policy; default strict-origin-when-cross-origin.
	Referrer string
	// Opener is the Cross-Origin-Opener-Policy; default same-origin.
	Opener string
	// Resource is the Cross-Origin-Resource-Policy; default same-origin. An API with
	// CORS for other sites isn't hindered by it, images for them are.
	Resource string
	// Permissions is the Permissions-Policy; default none is sent.
	Permissions string
}

// Secure sets fields that make browsers stricter: X-Content-Type-Options:
// nosniff and those of the config. They are set before the handler runs, so a
// handler can set its own.
func Secure(config SecureConfig) nano.Middleware {
	fields := config.fields()
	hsts := config.hsts()
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			for i := range fields {
				c.SetHeader(fields[i].name, fields[i].value)
			}
			if hsts != "" && (config.BehindTLS || c.TLS()) {
				c.SetHeader("Strict-Transport-Security", hsts)
			}
			return next(c)
		}
	}
}

type headerField struct{ name, value string }

func (s *SecureConfig) fields() []headerField {
	csp := "Content-Security-Policy"
	if s.ReportCSP {
		csp += "-Report-Only"
	}
	fields := []headerField{{"X-Content-Type-Options", "nosniff"}}
	for _, f := range []struct{ name, value, otherwise string }{
		{csp, s.CSP, "default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"},
		{"X-Frame-Options", s.Frame, "DENY"},
		{"Referrer-Policy", s.Referrer, "strict-origin-when-cross-origin"},
		{"Cross-Origin-Opener-Policy", s.Opener, "same-origin"},
		{"Cross-Origin-Resource-Policy", s.Resource, "same-origin"},
		{"Permissions-Policy", s.Permissions, "-"},
	} {
		if f.value == "" {
			f.value = f.otherwise
		}
		if f.value != "-" {
			mustSend("SecureConfig", f.name, f.value)
			fields = append(fields, headerField{f.name, f.value})
		}
	}
	return fields
}

func (s *SecureConfig) hsts() string {
	if s.HSTS < 0 {
		return ""
	}
	if s.HSTS == 0 {
		s.HSTS = 365 * 24 * time.Hour
	}
	v := "max-age=" + strconv.FormatInt(int64(s.HSTS/time.Second), 10)
	if s.HSTSDomains {
		v += "; includeSubDomains"
	}
	return v
}
