package loadcmd

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// openConnections is how many connections open loops have unless asked
// otherwise: enough that few services are limited by them.
const openConnections = 100

// RegisterOpen registers what the commands with open loops share.
func (f *Flags) RegisterOpen(flags *pflag.FlagSet) {
	flags.IntVarP(&f.Connections, "connections", "c", openConnections, "simultaneous connections")
	flags.StringVar(&f.arrivals, "arrivals", "poisson", "how starts are spread: poisson or uniform")
	f.profile.registerOverflow(flags)
	cli.DurationVar(flags, &f.Warmup, "warmup", "w", 500*time.Millisecond, "load for so long before each trial is measured")
	f.registerRequest(flags)
	f.registerGenerator(flags)
	flags.BoolVar(&f.trust.noCalibration, "no-calibration", false, "don't measure the generator first")
	f.link.register(flags)
}

// OpenSpec turns the flags into the load that trials are made of.
func (f *Flags) OpenSpec(target string) (load.Spec, error) {
	f.open, f.rate = true, 1 // each trial has a rate of its own
	return f.Spec(target)
}

// Calibrated measures the generator before the first trial, unless asked not to.
func (f *Flags) Calibrated(ctx context.Context, spec *load.Spec, w i18n.Printer) {
	closed := *spec
	closed.Profile = profile.Profile{Mode: profile.Closed, Connections: spec.Profile.Connections}
	f.trust.calibrate(ctx, &closed, w)
	spec.Calibration, spec.Uncalibrated = closed.Calibration, closed.Uncalibrated
}

// RegisterSweep registers what a sweep over numbers of connections shares with other
// loads.
func (f *Flags) RegisterSweep(flags *pflag.FlagSet) {
	cli.DurationVar(flags, &f.Warmup, "warmup", "w", time.Second, "load for so long before each trial is measured")
	f.registerRequest(flags)
	f.registerGenerator(flags)
	flags.BoolVar(&f.trust.noCalibration, "no-calibration", false, "don't measure the generator first")
	f.link.register(flags)
}
