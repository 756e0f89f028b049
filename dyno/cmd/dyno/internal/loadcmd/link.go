package loadcmd

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

// linkFlags say how dyno load connects.
type linkFlags struct {
	reuse    string
	maxAge   time.Duration
	sources  []string
	unix     string
	fastOpen bool
	nagle    bool
	quickAck bool
	readRate int64
	pacing   string
	stamps   string
	http2    bool
	http3    bool
	streams  int
	tls      request.TLS
}

func (f *linkFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.http2, "http2", false, "speak HTTP/2: over TLS by ALPN, else by prior knowledge")
	flags.BoolVar(&f.http3, "http3", false, "speak HTTP/3 to an https:// URL: by a library (quic-go) and the portable engine")
	flags.IntVar(&f.streams, "streams", 1, "with --http2 or --http3: requests that each connection may have under way")
	flags.StringVar(&f.reuse, "reuse", "per-worker", "connections: per-worker (kept), shared (a pool), none (a new one for each request), or a number of requests each")
	cli.DurationVar(flags, &f.maxAge, "max-age", "", 0, "replace connections that are so old (default: never)")
	flags.StringSliceVar(&f.sources, "source", nil, "local addresses to connect from, in turn: 10.0.0.1, 10.0.0.1-10.0.0.8 or 10.0.0.0/29 (repeatable)")
	flags.StringVar(&f.unix, "unix-socket", "", "connect to this unix socket instead of the URL's host")
	flags.BoolVar(&f.fastOpen, "fast-open", false, "use TCP Fast Open")
	flags.BoolVar(&f.nagle, "nagle", false, "leave Nagle's algorithm on (no TCP_NODELAY)")
	flags.BoolVar(&f.quickAck, "quick-ack", false, "acknowledge at once (TCP_QUICKACK)")
	flags.Int64Var(&f.readRate, "read-rate", 0, "slow clients: bytes a second that each connection takes at most (default: all at once)")
	flags.StringVar(&f.pacing, "pacing", "auto", "waiting for the schedule: auto (sleep, then poll), spin (poll: most exact, a whole CPU) or timer (sleep: cheapest)")
	flags.StringVar(&f.stamps, "timestamps", "", "kernel: let the kernel note when responses came, and show how much later they were read")
	flags.BoolVarP(&f.tls.Insecure, "insecure", "k", false, "accept any certificate")
	flags.StringVar(&f.tls.CAFile, "cacert", "", "PEM file of certificates to trust instead of the system's")
	flags.StringVar(&f.tls.CertFile, "cert", "", "PEM file of the client's certificate")
	flags.StringVar(&f.tls.KeyFile, "key", "", "PEM file of the client's key")
	flags.StringVar(&f.tls.MinVersion, "tls-min", "", "lowest TLS version: 1.2 or 1.3 (default 1.2)")
	flags.StringVar(&f.tls.MaxVersion, "tls-max", "", "highest TLS version: 1.2 or 1.3 (default 1.3)")
	flags.StringVar(&f.tls.ServerName, "server-name", "", "name to ask for (SNI) and to expect in the certificate (default: the URL's host)")
	flags.StringSliceVar(&f.tls.ALPN, "alpn", nil, "protocols to offer (default http/1.1, h2 with --http2, h3 with --http3)")
	flags.BoolVar(&f.tls.Resume, "tls-resume", false, "resume TLS sessions on new connections")
	flags.StringVar(&f.tls.KeyLog, "key-log", "", "append the TLS sessions' secrets to this file, for Wireshark")
}

// apply puts the flags into a spec.
func (f *linkFlags) apply(spec *load.Spec) error {
	k := request.Link{MaxAge: f.maxAge, Unix: f.unix, FastOpen: f.fastOpen, Nagle: f.nagle, QuickAck: f.quickAck, ReadRate: f.readRate}
	var err error
	if k.Reuse, k.PerConnection, err = request.ParseReuse(f.reuse); err != nil {
		return fmt.Errorf("--%w", err)
	}
	switch {
	case f.http2 && f.http3:
		return i18n.Errorf("loadcmd.http2-and-http3", "--http2 and --http3 exclude each other")
	case (f.http2 || f.http3) && f.streams < 1:
		return i18n.Errorf("loadcmd.bad-streams", "--streams %d: a connection has at least one stream", f.streams)
	case f.http2 || f.http3:
		k.Streams, k.HTTP3 = f.streams, f.http3
	case f.streams != 1:
		return i18n.Errorf("loadcmd.streams-need-http2", "--streams are those of HTTP/2 and HTTP/3: give --http2 or --http3 too (over HTTP/1.1 a connection has one request under way)")
	}
	for _, s := range f.sources {
		addrs, err := request.ParseSources(s)
		if err != nil {
			return i18n.Errorf("loadcmd.source", "--source: %w", err)
		}
		k.Sources = append(k.Sources, addrs...)
	}
	if f.stamps != "" && f.stamps != "kernel" {
		return i18n.Errorf("loadcmd.unknown-timestamps", "--timestamps %q: only \"kernel\" is known", f.stamps)
	}
	spec.Link, spec.TLS, spec.Pacing, spec.KernelTimestamps = k, f.tls, profile.Pacing(f.pacing), f.stamps == "kernel"
	return nil
}
