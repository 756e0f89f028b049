package loadcmd

import (
	"context"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/busy"
	"dyno.example/internal/i18n"
)

// WatchMachine watches the machine during loads on a target; the caller closes it.
// Before them it looks at who is busy, and says so. What the server itself uses then is
// kept in the spec.
func WatchMachine(ctx context.Context, spec *load.Spec, w i18n.Printer) *busy.Watch {
	watch := busy.NewWatch(ctx, spec.Target, spec.CPUs, machine.OnlineCPUs())
	s := watch.Idle(ctx, 0)
	switch {
	case ctx.Err() != nil:
	case s == nil:
		w.Print(i18n.New("loadcmd.others-unseen", "who else is busy on this machine can't be told here"))
	default:
		spec.Idle = s.Server
		if s.Busy() {
			w.Print(i18n.New("loadcmd.may-be-invalid", "%s; what is measured may be invalid", s))
		} else if share := s.Server.Share(); share >= measure.IdleSuspect {
			w.Print(i18n.New("loadcmd.server-busy-when-idle", "the server uses %.0f %% of a CPU though nothing is asked of it", 100*share))
		}
	}
	return watch
}

// watchLoad has the machine watched during one load. Before a short one, compared with
// which a look would take long, there is no look: other programs then make it suspect at most.
func watchLoad(ctx context.Context, spec *load.Spec, w i18n.Printer) (watch *busy.Watch) {
	if isLong(spec) {
		watch = WatchMachine(ctx, spec, w)
	} else {
		watch = busy.NewWatch(ctx, spec.Target, spec.CPUs, machine.OnlineCPUs())
	}
	spec.Others = watch.Since
	return watch
}
