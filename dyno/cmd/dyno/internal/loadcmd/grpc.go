package loadcmd

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/rpc"
	"dyno.example/internal/i18n"
)

// grpcFlags say what is called over gRPC.
type grpcFlags struct {
	protos      []string
	imports     []string
	descriptors string
	messages    int
	unit        string
	compression string
	deadline    time.Duration
	given       func(flag string) bool
}

// grpcNames are the flags' names, for who must not give them.
var grpcNames = []string{"proto", "import-path", "descriptors", "messages", "unit", "compression", "deadline"}

func (f *grpcFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.protos, "proto", nil, ".proto file that describes the service (default: the server is asked, by reflection)")
	flags.StringArrayVar(&f.imports, "import-path", nil, "folder that imports of --proto start from (repeatable; default: the file's own)")
	flags.StringVar(&f.descriptors, "descriptors", "", "file with a FileDescriptorSet, instead of --proto")
	flags.IntVar(&f.messages, "messages", 0, "messages on each stream, for methods that take several (default 1, or no limit with --unit message)")
	flags.StringVar(&f.unit, "unit", "", "what is a request with bidirectional streaming: message (each with its response; the default) or call")
	flags.StringVar(&f.compression, "compression", "", "compress messages: gzip")
	cli.DurationVar(flags, &f.deadline, "deadline", "", 0, "time limit that the server is told (grpc-timeout; default: none)")
	f.given = flags.Changed
}

// isGRPC reports whether a target is spoken to over gRPC.
func isGRPC(target string) bool {
	return strings.HasPrefix(target, "grpc://") || strings.HasPrefix(target, "grpcs://")
}

// apply makes a call of the request that the URL and the other flags ask for; what is in
// a file of requests stays as it is there. Schemas in files are read.
func (f *grpcFlags) apply(spec *load.Spec, single *Flags) error {
	switch {
	case single.request.targets != "" && isGRPC(spec.Target):
		return i18n.Errorf("loadcmd.targets-are-http", "--targets has requests of HTTP; calls over gRPC can be in a --request file")
	case single.request.file != "" || !isGRPC(spec.Target):
		if i := slices.IndexFunc(grpcNames, f.given); i >= 0 {
			return i18n.Errorf("loadcmd.needs-grpc-url", "--%s is for a URL such as grpc://host:port/package.Service/Method", grpcNames[i])
		}
	default:
		if err := f.call(&spec.Requests[0], single); err != nil {
			return err
		}
	}
	return rpc.Resolve(context.Background(), spec.Requests, nil)
}

// call makes r a call.
func (f *grpcFlags) call(r *request.Request, single *Flags) error {
	method := strings.TrimPrefix(r.Path, "/")
	switch {
	case method == "":
		return i18n.Errorf("loadcmd.grpc-method-missing", "the URL names no method; write it as grpc://host:port/package.Service/Method")
	case single.body != "":
		return i18n.Errorf("loadcmd.body-not-of-grpc", "--body is HTTP's; give what is sent over gRPC as --message")
	case single.method != "":
		return i18n.Errorf("loadcmd.method-not-of-grpc", "--method is HTTP's; the URL names the method of gRPC, as grpc://host:port/package.Service/Method")
	case f.messages < 0 || f.given("messages") && f.messages == 0:
		return i18n.Errorf("loadcmd.bad-messages", "--messages must be at least 1, not %d", f.messages)
	}
	responses := 0
	if text := single.message.responses; text != string(request.OneResponse) {
		var err error
		if responses, err = strconv.Atoi(text); err != nil || responses < 1 {
			return i18n.Errorf("loadcmd.bad-grpc-responses", "--answers %q: over gRPC it is how many messages come in response to each, at least 1", text)
		}
	}
	message, err := readBody("--message", single.message.message)
	if err != nil {
		return err
	}
	call := request.NewGRPC(&request.GRPC{
		Method: method, Messages: f.messages, Unit: request.Unit(f.unit), Responses: responses, Compression: f.compression, Deadline: f.deadline,
		Schema: request.Schema{Protos: f.protos, ImportDirs: f.imports, Descriptors: f.descriptors},
	}, message)
	call.Headers, call.Auth, call.Cookies, call.Jar, call.Expect = r.Headers, r.Auth, r.Cookies, r.Jar, r.Expect
	*r = call
	return nil
}

// Resolve finds out what calls over gRPC take, and holds the spec to it, before anything
// is spent on a load.
func Resolve(ctx context.Context, spec *load.Spec) error {
	if err := load.Resolve(ctx, spec); err != nil {
		return err
	}
	return cli.UsageError(spec.Check())
}

// anyCall reports whether some requests are calls over gRPC.
func anyCall(requests []request.Request) bool {
	return slices.ContainsFunc(requests, func(r request.Request) bool { return r.GRPC != nil })
}
