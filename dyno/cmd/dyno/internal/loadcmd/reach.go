package loadcmd

import (
	"context"
	"errors"
	"strings"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// reach connects to the target once before a calibration is spent on it, or waits
// until it accepts connections.
func (f *Flags) reach(ctx context.Context, spec *load.Spec, progress i18n.Printer) error {
	if f.wait == 0 && !f.trust.wants(spec) {
		return nil // the load finds out by itself
	}
	if f.wait > 0 {
		progress.Print(i18n.New("loadcmd.waiting-for-target", "  waiting for up to %v until %s accepts connections", f.wait, spec.Target))
	}
	return load.Reach(ctx, spec, f.wait)
}

// Reach is [Resolve] after connecting to the target once: if nothing listens there, that is
// said before minutes are spent.
func Reach(ctx context.Context, spec *load.Spec) error {
	if err := load.Reach(ctx, spec, 0); err != nil {
		return WithHint(err)
	}
	return Resolve(ctx, spec)
}

// withHint is [WithHint] for a load that may have waited for somebody to listen.
func (f *Flags) withHint(err error) error {
	var none *request.UnreachableError
	if f.wait > 0 && errors.As(err, &none) && strings.Contains(none.Why.String(), "connection refused") {
		return i18n.Errorf("loadcmd.wait-ran-out", "%w: nobody listened there within %v, for as long as --wait says", err, f.wait)
	}
	return WithHint(err)
}

// WithHint adds to an error of connecting what can be done about it, in the words of the
// command line.
func WithHint(err error) error {
	var none *request.UnreachableError
	if !errors.As(err, &none) {
		return err
	}
	says := func(text i18n.Message) bool { return strings.Contains(none.Why.String(), text.String()) }
	switch {
	case says(i18n.Verbatim("x509: certificate has expired or is not yet valid")):
		return i18n.Errorf("loadcmd.insecure-hint", "%w; -k accepts any certificate", err)
	case says(i18n.Verbatim("x509: certificate is valid for")), says(i18n.Verbatim("x509: cannot validate certificate for")), says(i18n.Verbatim("x509: certificate is not valid for any names")):
		return i18n.Errorf("loadcmd.server-name-hint", "%w; --server-name NAME asks for the certificate of another name, -k accepts any", err)
	case says(i18n.Verbatim("x509:")):
		return i18n.Errorf("loadcmd.cacert-hint", "%w; --cacert FILE trusts the certificate's issuer, -k any certificate", err)
	case says(i18n.New("loadcmd.connection-refused", "connection refused")):
		return i18n.Errorf("loadcmd.wait-hint", "%w: nobody listens there; --wait 30s waits until somebody does", err)
	}
	return err
}
