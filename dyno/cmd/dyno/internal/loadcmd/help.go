package loadcmd

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/report"
)

// loadGroups orders the flags of dyno load as its help shows them. A flag that is
// in none comes after all others.
var loadGroups = []struct {
	title, id string
	flags     []string
}{
	{"How much and for how long", "amount", []string{
		"connections", "duration", "requests", "rate", "warmup", "wait", "timeout", "drain", "arrivals", "phase", "think", "overflow", "max-connections", "seed", "plan",
	}},
	{"What is sent", "sent", []string{
		"method", "header", "body", "request", "targets", "feed", "auth", "bearer", "cookie", "cookies",
	}},
	{"Messages and events", "messages", []string{"message", "binary", "answers", "sse", "stamp", "stamp-clock", "silence", "max-message"}},
	{"gRPC, with --message and --answers", "grpc", grpcNames},
	{"What must hold", "must-hold", []string{"expect", "fail", "max-errors"}},
	{"Output", "output", []string{
		"json", "html", "explain", "keep", "pprof", "out", "junit", "remote-write", "remote-write-header", "otlp", "otlp-header", "label",
	}},
	{"Connections", "connections", []string{"http2", "http3", "streams", "reuse", "max-age", "source", "unix-socket", "fast-open", "nagle", "quick-ack", "read-rate"}},
	{"TLS", "tls", []string{
		"insecure", "cacert", "cert", "key", "server-name", "tls-min", "tls-max", "tls-resume", "alpn", "key-log",
	}},
	{"The generator", "generator", []string{
		"threads", "cpus", "engine", "pacing", "timestamps", "selftest", "no-calibration", "server-metrics", "accept",
	}},
}

// loadUsage prints the usage of dyno load with its flags in groups.
func loadUsage(cmd *cobra.Command, t report.Texts) error {
	w := cmd.OutOrStderr()
	heading := func(english, id string) string { return cli.Heading(t, english+":", id) }
	fmt.Fprintf(w, "%s\n  %s\n\n%s\n%s\n", heading("Usage", "usage"), cmd.UseLine(), heading("Examples", "examples"), cmd.Example)
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	rest.SortFlags = false
	rest.AddFlagSet(cmd.LocalFlags())
	grouped := make(map[string]bool)
	for _, g := range loadGroups {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.flags {
			set.AddFlag(cmd.Flags().Lookup(name))
			grouped[name] = true
		}
		fmt.Fprintf(w, "\n%s\n%s", heading(g.title, g.id), set.FlagUsages())
	}
	others := pflag.NewFlagSet("", pflag.ContinueOnError)
	others.SortFlags = false
	rest.VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] {
			others.AddFlag(f)
		}
	})
	others.AddFlagSet(cmd.InheritedFlags())
	_, err := fmt.Fprintf(w, "\n%s\n%s", heading("Other", "other"), others.FlagUsages())
	return err
}
