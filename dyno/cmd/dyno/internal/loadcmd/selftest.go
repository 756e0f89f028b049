package loadcmd

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/internal/i18n"
)

// selftestTime is what each measurement of a self-test takes unless -d says
// otherwise.
const selftestTime = time.Second

// runSelftest tests the generator and prints what it can measure. A machine that
// can't is an error.
func runSelftest(ctx context.Context, f *Flags, global *cli.Global) error {
	spec, err := f.selftestSpec()
	if err != nil {
		return cli.UsageError(err)
	}
	say := func(what string) {
		if !global.Quiet && !f.asJSON {
			global.Err().Print(i18n.New("loadcmd.testing", "testing: %s", what))
		}
	}
	report, err := calibrate.Test(ctx, &spec, say)
	if err != nil {
		return i18n.Errorf("loadcmd.self-test", "self-test: %w", err)
	}
	if f.asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		calibrate.Describe(os.Stdout, report)
	}
	if err == nil && !report.Ability.OK {
		err = i18n.Errorf("loadcmd.selftest-failed", "self-test: this machine can't be trusted to measure")
	}
	return err
}

// selftestSpec is the generator that the flags ask for; what they say of the
// target is not used.
func (f *Flags) selftestSpec() (load.Spec, error) {
	spec, err := f.Spec("http://127.0.0.1")
	if f.duration == 0 {
		spec.Duration = selftestTime
	}
	if err == nil && spec.Duration < 50*time.Millisecond {
		err = i18n.Errorf("loadcmd.selftest-too-short", "--duration must be at least 50ms for a self-test, not %v", spec.Duration)
	}
	return spec, err
}
