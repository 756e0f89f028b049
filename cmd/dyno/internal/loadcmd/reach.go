package loadcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"dyno/lab/load"
	"dyno/lab/load/request"
)

// reach connects to the target once before a calibration is spent on it, or waits
// until it accepts connections.
func (f *Flags) reach(ctx context.Context, spec *load.Spec, progress io.Writer) error {
	if f.wait == 0 && !f.trust.wants(spec) {
		return nil // the load finds out by itself
	}
	if f.wait > 0 {
		fmt.Fprintf(progress, "  waiting for up to %v until %s accepts connections\n", f.wait, spec.Target)
	}
	return load.Reach(ctx, spec, f.wait)
}

// withHint adds what can be done about it, in the words of the command line.
func withHint(err error) error {
	var none *request.UnreachableError
	switch {
	case !errors.As(err, &none):
		return err
	case strings.Contains(none.Why, "x509:"):
		return fmt.Errorf("%w; --cacert FILE trusts the certificate's issuer, -k any certificate", err)
	case strings.Contains(none.Why, "connection refused"):
		return fmt.Errorf("%w: nobody listens there; --wait 30s waits until somebody does", err)
	}
	return err
}
