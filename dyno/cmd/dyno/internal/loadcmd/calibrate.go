package loadcmd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/present/loadtext"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// trustFlags say how far dyno load looks into whether it can be trusted.
type trustFlags struct {
	selftest      bool
	noCalibration bool
	serverMetrics string
}

func (t *trustFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&t.selftest, "selftest", false, "test the generator on this machine, without a URL, and say what it can measure")
	flags.BoolVar(&t.noCalibration, "no-calibration", false, "don't measure the generator before the load (loads shorter than 2s never do)")
	flags.StringVar(&t.serverMetrics, "server-metrics", "", "URL of the server's Prometheus endpoint, to compare counts; #SERIES names the series")
}

// args asks for the URL to load, and for none where there is nothing to load; a
// file of targets may have it.
func (f *Flags) args(cmd *cobra.Command, args []string) error {
	quiet := cmd.Flags().Lookup("quiet")
	switch {
	case f.trust.selftest && len(args) > 0:
		return cli.UsageError(i18n.Errorf("loadcmd.selftest-takes-no-url", "--selftest takes no URL, got %q: it has a server of its own", args[0]))
	case f.trust.selftest || f.request.targets != "" && len(args) == 0:
		return nil
	case len(args) == 2 && quiet != nil && quiet.Changed && isNumber(args[0]):
		return cli.UsageError(i18n.Errorf("loadcmd.quiet-takes-no-value", "-q is quiet and takes no %s; the rate is -R %s", args[0], args[0]))
	}
	return cli.ExactArgs(1, i18n.New("loadcmd.url-load", "the URL to load"))(cmd, args)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// Loads shorter than this are not worth a calibration, which takes almost a
// second.
const (
	calibrateFrom     = 2 * time.Second
	calibrateRequests = 100_000 // of a load that ends by their number
)

// wants reports whether a load is calibrated.
func (t *trustFlags) wants(spec *load.Spec) bool { return isLong(spec) && !t.noCalibration }

// isLong reports whether a load is worth that something is measured before it.
func isLong(spec *load.Spec) bool {
	return spec.Warmup+spec.Duration+spec.Profile.Length() >= calibrateFrom || spec.MaxRequests >= calibrateRequests
}

// calibrate measures the generator, if asked to, and reports the result in a
// line. Without a calibration the load goes on: it judges itself too.
func (t *trustFlags) calibrate(ctx context.Context, spec *load.Spec, w i18n.Printer) {
	if !t.wants(spec) {
		return
	}
	c, err := calibrate.Run(ctx, spec)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		spec.Uncalibrated = err.Error()
		w.Print(i18n.New("loadcmd.not-calibrated", "  not calibrated: %v", err))
	default:
		spec.Calibration = c
		w.Print(i18n.New("loadcmd.calibrated", "  calibrated in %v: %s", c.Took.Round(10*time.Millisecond), loadtext.Calibration(c)))
		for _, f := range c.Judge(&spec.Profile) {
			w.Print(i18n.Format("  %s: %s", f.Name, f.Detail))
		}
	}
}

// serverCount asks the server how many requests it has served, over TLS as the
// load does; nil if it is not to be asked.
func (t *trustFlags) serverCount(ctx context.Context, secure *request.TLS) (*probe.RequestCount, error) {
	if t.serverMetrics == "" {
		return nil, nil
	}
	trust, err := secure.Client()
	if err != nil {
		return nil, err
	}
	c, err := probe.CountRequests(ctx, t.serverMetrics, trust)
	if err != nil {
		return nil, i18n.Errorf("loadcmd.server-metrics", "--server-metrics: %w", err)
	}
	return &c, nil
}

// compare asks once more and holds the load to the difference.
func (t *trustFlags) compare(before *probe.RequestCount, secure *request.TLS, r *load.Result) {
	if before == nil {
		return
	}
	after, err := t.serverCount(context.Background(), secure) // also after Ctrl-C
	if err != nil {
		fmt.Fprintln(os.Stderr, "dyno:", err)
		return
	}
	r.CompareCounts(after.Series, after.Total-before.Total)
}
