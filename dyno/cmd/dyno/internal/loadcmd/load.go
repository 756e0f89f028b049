package loadcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/export"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/live"
	"dyno.example/dyno/present/loadtext"
	"dyno.example/internal/i18n"
)

// Flags are the flags of dyno load.
type Flags struct {
	Connections int
	threads     int
	duration    time.Duration
	Warmup      time.Duration
	wait        time.Duration // for the target to accept connections
	requests    uint64
	rate        float64
	open        bool // --rate was given
	arrivals    string
	headers     []string
	method      string
	body        string
	timeout     time.Duration
	drain       time.Duration
	seed        uint64
	cpus        string
	engine      string
	accept      []string
	maxErrors   string
	asJSON      bool
	html        string
	profile     profileFlags
	link        linkFlags
	request     requestFlags
	message     messageFlags
	grpc        grpcFlags
	trust       trustFlags
	explain     explainFlags
	outputFlags
}

func New(global *cli.Global) *cobra.Command {
	var f Flags
	cmd := &cobra.Command{
		Use:   "load [URL]",
		Short: "Put a load on a URL and report what came back",
		Long: `Put a load on a URL and report what came back.

Without --rate the loop is closed: each connection sends its next request when
the response to the last one is in. With --rate it is open: requests start on a
schedule whatever the server does, and response times count from the scheduled
start, so that a stall is not omitted.

` + phaseHelp() + `

` + RequestHelp() + `

--fail says what must hold, as k6's thresholds do. What the measurement can't
decide, or an INVALID one, does not count as holding.

Exit status: 0 if the target responded, 1 if more than --max-errors of the
requests failed or had no response by the end, nothing responded, no window is valid
(--accept has the disturbed ones count) or a --fail does not hold, 2 for wrong
usage, 130 on Ctrl-C (what was measured so far is printed, and no threshold is
evaluated).`,
		Example: `  dyno load http://127.0.0.1:8080/
  dyno load -c 64 -d 30s --rate 5000 http://127.0.0.1:8080/json
  dyno load --phase 'ramp 100..5000 30s' --phase 'constant 5000 1m' \
      http://127.0.0.1:8080/
  dyno load -R 5000 --fail 'p99<20ms' --junit load.xml http://127.0.0.1:8080/
  dyno load -R 5000 --fail '95% of windows: p99.9<50ms' http://127.0.0.1:8080/
  dyno load -o windows.csv -o jsonl=events.log http://127.0.0.1:8080/
  dyno load -R 5k --targets urls.txt
  dyno load --wait 30s http://127.0.0.1:8080/
  dyno load --selftest --cpus 1
  dyno load -n 10000 -H 'Content-Type: application/json' -b @user.json \
      http://127.0.0.1:8080/users
  dyno load grpc://127.0.0.1:50051/helloworld.Greeter/SayHello \
      --message '{"name": "{{feed.users.name}}"}' --feed users=users.csv
  dyno load --feed users=users.csv --expect 'json $.id exists' \
      'http://127.0.0.1:8080/users/{{feed.users.id}}'
  dyno load --request mix.yaml --auth ann:secret --cookies http://127.0.0.1:8080
  dyno load -c 100 -R 5000 --message '{"n": {{seq}}}' ws://127.0.0.1:8080/echo
  dyno load -c 1000 --sse --stamp json:.at http://127.0.0.1:8080/events`,
		Args: f.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.open = cmd.Flags().Changed("rate")
			if err := f.refuseNothing(cmd.Flags()); err != nil {
				return cli.UsageError(err)
			}
			if f.trust.selftest {
				return runSelftest(cmd.Context(), &f, global)
			}
			return runLoad(cmd.Context(), &f, global, strings.Join(args, ""))
		},
	}
	cmd.Flags().SortFlags = false
	f.register(cmd.Flags())
	cmd.SetUsageFunc(func(cmd *cobra.Command) error { return loadUsage(cmd, global.Texts()) })
	return cmd
}

// register adds the flags of dyno load.
func (f *Flags) register(flags *pflag.FlagSet) {
	flags.IntVarP(&f.Connections, "connections", "c", 50, "simultaneous connections")
	cli.DurationVar(flags, &f.duration, "duration", "d", 0, "how long to measure (default 10s, or until -n requests are done)")
	cli.CountVar(flags, &f.requests, "requests", "n", "stop after so many requests")
	cli.RateVar(flags, &f.rate, "rate", "R", "requests per second to start, whatever the server does (open loop)")
	flags.StringVar(&f.arrivals, "arrivals", "poisson", "how starts are spread with --rate and --phase: poisson or uniform")
	f.profile.register(flags)
	cli.DurationVar(flags, &f.wait, "wait", "", 0, "wait for so long at most until the target accepts connections")
	f.registerRequest(flags)
	cli.DurationVar(flags, &f.Warmup, "warmup", "w", 0, "load for so long before measuring")
	f.registerGenerator(flags)
	flags.StringVar(&f.maxErrors, "max-errors", "1%", "share of failed requests above which the exit status is 1")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of text")
	f.trust.register(flags)
	flags.StringVar(&f.html, "html", "", "also write an HTML report to this file")
	f.explain.register(flags)
	f.link.register(flags)
	f.message.register(flags)
	f.outputFlags.add(flags)
}

// refuseNothing refuses a load that is asked to be of no requests or of no time, which
// would else be one of the usual length.
func (f *Flags) refuseNothing(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("requests") && f.requests == 0:
		return i18n.Errorf("loadcmd.zero-requests", "--requests must be at least 1, not 0")
	case flags.Changed("duration") && f.duration == 0 && f.requests == 0:
		return i18n.Errorf("loadcmd.zero-duration", "--duration must be above 0, not 0")
	}
	return nil
}

func runLoad(ctx context.Context, f *Flags, global *cli.Global, target string) error {
	spec, err := f.Spec(target)
	if err != nil {
		return cli.UsageError(err)
	}
	maxErrors, err := cli.ParseShare(f.maxErrors)
	if err != nil {
		return cli.UsageError(i18n.Errorf("loadcmd.max-errors", "--max-errors: %w", err))
	}
	if f.profile.plan {
		return loadtext.WritePlan(global.Out(), &spec, f.asJSON)
	}
	must, err := parseThresholds(f.fail)
	if err != nil {
		return cli.UsageError(err)
	}
	counted, err := f.trust.serverCount(ctx, &spec.TLS)
	if err != nil {
		return err
	}
	if err := f.explain.check(&spec); err != nil {
		return err
	}
	outputs, err := f.openOutputs(&spec)
	if err != nil {
		return err
	}
	noText := f.asJSON || toStdout(outputs.destinations)
	live := live.NewLoadLine(os.Stderr, global.Texts(), global.LiveLines() && !noText, &spec)
	spec.OnStart = outputs.begin
	var seconds []export.SecondFigures
	keepSeconds := f.asJSON || outputs.has("json")
	spec.OnWindow = func(w measure.Window) {
		if keepSeconds {
			seconds = append(seconds, export.SecondOf(&w))
		}
		live.Window(w)
		must.window(&w)
		outputs.window(&w)
	}
	progress := global.Err()
	if global.Quiet || noText {
		progress.To = io.Discard
	}
	progress.Print(loadtext.Describe(&spec))
	r, err := f.send(ctx, &spec, progress)
	live.Done()
	e := &endedLoad{Load: export.Load{Spec: &spec, Result: r, Seconds: seconds}, maxErrors: maxErrors, lang: global.Lang, secrets: f.pushSecrets()}
	if err != nil {
		return f.unreachable(err, e, must, outputs, global)
	}
	f.trust.compare(counted, &spec.TLS, r)
	e.Thresholds = must.judge(r)
	e.kept = &f.explain
	err = errors.Join(e.print(f.asJSON, noText), f.explain.finish(global, noText), outputs.finish(e, global.Err()))
	if err != nil || r.Interrupted {
		return err
	}
	return errors.Join(judgeLoad(r, maxErrors), failedThresholds(e.Thresholds))
}

// send puts the load on its target once that is reached and the generator is calibrated.
func (f *Flags) send(ctx context.Context, spec *load.Spec, progress i18n.Printer) (*load.Result, error) {
	if err := f.reach(ctx, spec, progress); err != nil {
		return nil, err
	}
	if err := Resolve(ctx, spec); err != nil {
		return nil, err
	}
	f.trust.calibrate(ctx, spec, progress)
	watch := watchLoad(ctx, spec, progress) // who is busy matters to nobody if nobody listens
	defer watch.Close()
	return f.explain.run(ctx, *spec)
}

// print writes the result to standard output, unless that is taken.
func (e *endedLoad) print(asJSON, noText bool) error {
	switch {
	case asJSON:
		return export.JSON(os.Stdout, &e.Load)
	case noText:
		return nil
	}
	text, err := loadtext.New(os.Stdout, e.lang)
	if err != nil {
		return err
	}
	text.Result(e.Result)
	text.Thresholds(e.Thresholds)
	return nil
}

// unreachable passes err on. Programs that asked for JSON, JUnit or events get
// theirs also when no connection came up, with the reason in it.
func (f *Flags) unreachable(err error, e *endedLoad, must thresholds, outputs *loadOutputs, global *cli.Global) error {
	var none *request.UnreachableError
	if !errors.As(err, &none) {
		return err
	}
	err = f.withHint(err)
	e.unreachable = err
	e.Result = &load.Result{
		Validity: finding.Invalid, FirstErrors: map[string]i18n.Message{"connect": none.Why},
		Findings: []finding.Finding{{Name: finding.Unreachable, Validity: finding.Invalid, Detail: i18n.From(err)}},
	}
	e.Result.Total.Errors.Connect = uint64(e.Spec.Profile.Connections)
	e.Result.All = e.Result.Total
	e.Thresholds = must.judge(e.Result)
	if f.asJSON {
		err = errors.Join(err, export.JSON(os.Stdout, &e.Load))
	}
	return errors.Join(err, outputs.finish(e, global.Err()))
}

// ErrUntrusted is the error of a load whose every window is invalid: what was sent is
// counted, but its figures are worth nothing.
var ErrUntrusted = i18n.Errorf("loadcmd.nothing-trustworthy", "no figure can be trusted")

// judgeLoad decides the exit status of a load that ran to its end.
func judgeLoad(r *load.Result, maxErrors float64) error {
	var untrusted error
	// First, for no window counts in which a response could have come.
	if invalid, measured, reasons := r.LeftOut(); measured > 0 && invalid == measured {
		untrusted = i18n.Errorf("loadcmd.windows-untrusted", "%w: none of the %d windows is valid (%s)", ErrUntrusted, measured, i18n.Names(finding.Words(reasons)...))
		if names := r.Acceptable(); len(names) > 0 {
			untrusted = i18n.Errorf("loadcmd.accept-them-count", "%w; --accept %s has them count", untrusted, strings.Join(finding.Words(names), ","))
		}
	} else if !r.Responded() {
		return i18n.Errorf("loadcmd.nothing-answered", "nothing responded: %s", firstError(r))
	}
	return errors.Join(tooManyErrors(r, maxErrors), untrusted)
}

// tooManyErrors is the error for a load with more failed requests than allowed, also where no
// window counts.
func tooManyErrors(r *load.Result, maxErrors float64) error {
	t, _ := r.Shown()
	// Nothing passes because nobody waited, nor because it was never sent: whoever it was due
	// for has no response.
	without := t.Unfinished + t.Shed
	failed := float64(t.Errors.Total() + without)
	all := failed + float64(t.Right())
	switch {
	case all == 0 || failed/all <= maxErrors:
		return nil
	case without > 0:
		return i18n.Errorf("loadcmd.max-errors-with-unfinished", "%.2f %% of the requests failed or had no response by the end, more than --max-errors %s allows (%s)", 100*failed/all, present.Share(maxErrors), firstError(r))
	}
	return i18n.Errorf("loadcmd.max-errors-exceeded", "%.2f %% of the requests failed, more than --max-errors %s allows (%s)", 100*failed/all, present.Share(maxErrors), firstError(r))
}

// firstError describes the first error of the kind that happened most.
func firstError(r *load.Result) i18n.Message {
	t, _ := r.Shown()
	kind := t.Errors.Most()
	switch {
	case kind == "" && r.Responded():
		return i18n.New("loadcmd.responses-as-expected", "the responses that came were as expected")
	case kind == "":
		return i18n.New("loadcmd.no-response-in-time", "no request got a response in time")
	}
	why := r.FirstErrors[kind]
	if strings.HasPrefix(why.String(), kind+" ") {
		return why // "status 404 Not Found"
	}
	return i18n.Join(kind, ": ", why)
}

// Spec turns flags into a load.
func (f *Flags) Spec(target string) (load.Spec, error) {
	f.message.responses = cmp.Or(f.message.responses, string(request.OneResponse)) // not all commands have the flag
	origin, path := "", "/"                                                        // of the targets
	var err error
	if target != "" || f.request.targets == "" {
		if origin, path, err = splitURL(target); err != nil {
			return load.Spec{}, err
		}
	}
	headers, err := parseHeaders(f.headers)
	if err != nil {
		return load.Spec{}, err
	}
	if f.body, err = readBody("--body", f.body); err != nil {
		return load.Spec{}, err
	}
	accept, err := finding.ParseAccepted(f.accept)
	if err != nil {
		return load.Spec{}, i18n.Errorf("runcmd.accept", "--accept: %w", err)
	}
	cpus, err := parseCPUs(f.cpus)
	if err != nil {
		return load.Spec{}, i18n.Errorf("loadcmd.cpus", "--cpus: %w", err)
	}
	spec := load.Spec{
		Target: origin, Warmup: f.Warmup, Duration: f.duration, MaxRequests: f.requests, Timeout: f.timeout,
		Threads: f.threads, CPUs: cpus, Engine: f.engine, Seed: f.seed, Accept: accept,
		Profile:  profile.Profile{Mode: profile.Closed, Connections: f.Connections},
		Requests: []request.Request{{Name: "request", Method: f.verb(), Path: path, Headers: headers, Body: f.body}},
	}
	if f.open {
		spec.Profile.Mode, spec.Profile.Rate, spec.Profile.Arrivals = profile.Open, f.rate, profile.Arrivals(f.arrivals)
	}
	if f.duration == 0 && f.requests == 0 {
		spec.Duration = 10 * time.Second
	}
	for _, apply := range []func(*load.Spec) error{
		f.applyDrain,
		func(spec *load.Spec) error { return f.profile.apply(spec, f) },
		func(spec *load.Spec) error { return f.request.apply(spec, f) },
		f.applyLink,
		func(spec *load.Spec) error { return f.message.apply(spec, f) },
		func(spec *load.Spec) error { return f.grpc.apply(spec, f) },
	} {
		if err := apply(&spec); err != nil {
			return load.Spec{}, err
		}
	}
	if spec.Seed == 0 {
		spec.Seed = rand.Uint64N(1<<32) + 1
	}
	return spec, f.check(&spec)
}

func (f *Flags) applyDrain(spec *load.Spec) error {
	switch {
	case f.drain < 0:
		return i18n.Errorf("loadcmd.negative-drain", "--drain %v is negative; 0 waits for nothing", f.drain)
	case f.drain == 0:
		spec.Drain = -1
	case f.drain != load.DefaultDrain:
		spec.Drain = f.drain
	}
	return nil
}

// applyLink comes when it is known what is sent: calls take HTTP/2.
func (f *Flags) applyLink(spec *load.Spec) error {
	f.link.http2 = f.link.http2 || isGRPC(spec.Target) || anyCall(spec.Requests)
	return f.link.apply(spec)
}

func (f *Flags) check(spec *load.Spec) error {
	if f.wait < 0 {
		return i18n.Errorf("loadcmd.negative-wait", "--wait must not be negative, not %v", f.wait)
	}
	if f.engine != "" && f.engine != "epoll" && f.engine != "uring" && f.engine != "portable" {
		return i18n.Errorf("loadcmd.unknown-engine", "--engine %q is none of uring, epoll and portable", f.engine)
	}
	if f.duration < 0 {
		return i18n.Errorf("loadcmd.negative-duration", "--duration must not be negative, not %v", f.duration)
	}
	if f.threads < 1 || f.threads > 1024 {
		return i18n.Errorf("loadcmd.bad-threads", "--threads must be from 1 to 1024, not %d", f.threads)
	}
	return spec.Check()
}

func (f *Flags) verb() string {
	switch {
	case f.method != "":
		return strings.ToUpper(f.method)
	case f.body != "":
		return "POST"
	}
	return "GET"
}

func parseHeaders(lines []string) ([]request.Header, error) {
	var headers []request.Header
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, i18n.Errorf("loadcmd.header-form", "--header %q has no colon; write it as 'Name: value'", line)
		}
		headers = append(headers, request.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return headers, nil
}

// readBody returns the value of a flag, read from a file if it starts with @.
func readBody(flag, body string) (string, error) {
	name, isFile := strings.CutPrefix(body, "@")
	if !isFile {
		return body, nil
	}
	const limit = 64 << 20
	if info, err := os.Stat(name); err == nil && info.Size() > limit {
		return "", i18n.Errorf("loadcmd.file-too-large", "%s @%s: %d bytes are more than the %d that are allowed", flag, name, info.Size(), limit)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return string(b), nil
}

// parseCPUs reads a list such as "0,2-3".
func parseCPUs(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var cpus []int
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		first, err := strconv.Atoi(from)
		last := first
		if isRange && err == nil {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last < first || last > 4095 {
			return nil, i18n.Errorf("loadcmd.bad-cpu-list", "%q is not a CPU number or a range such as 0-3", item)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
