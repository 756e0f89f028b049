package loadcmd

import (
	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
)

// registerRequest registers the flags that say what is sent. All commands that
// send a load have them.
func (f *Flags) registerRequest(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "header to send, as 'Name: value' (repeatable)")
	flags.StringVarP(&f.method, "method", "m", "", "request method; -X is the same (default GET, or POST with a body)")
	flags.StringVarP(&f.method, "request-method", "X", "", "as --method") // as curl, wrk's scripts and others have it
	flags.Lookup("request-method").Hidden = true
	flags.StringVarP(&f.body, "body", "b", "", "request body, or @FILE to read it from a file")
	f.request.register(flags)
	f.message.registerMessage(flags)
	f.grpc.register(flags)
	cli.DurationVar(flags, &f.timeout, "timeout", "T", request.DefaultTimeout, "time limit for one request")
	cli.DurationVar(flags, &f.drain, "drain", "", load.DefaultDrain, "how long, after the end, what was due is still sent and waited for (default at most --timeout; 0: not at all)")
}

// registerGenerator registers the flags that say what the generator may use. All
// commands that send a load have them.
func (f *Flags) registerGenerator(flags *pflag.FlagSet) {
	flags.IntVarP(&f.threads, "threads", "t", 1, "event loops, one thread each")
	flags.StringVar(&f.cpus, "cpus", "", "CPUs to pin the loops to, such as 0 or 0,2-3 (default: not pinned)")
	flags.StringVar(&f.engine, "engine", "", "uring, epoll or portable (default: the best there is)")
	flags.StringSliceVar(&f.accept, "accept", nil, "findings that don't lower what the measurement is worth, by name, such as other-load (dyno/docs/findings.md)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the schedule (default: a new one each time, printed)")
}
