package loadcmd

import (
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/nullserver"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// NewNullServer is dyno null-server.
func NewNullServer() *cobra.Command {
	var port int
	var host string
	cmd := &cobra.Command{
		Use:   "null-server",
		Short: "Respond to every request with the same bytes, to measure what measures",
		Long: `Respond to every request with the same bytes, as cheaply as a server can, until Ctrl-C:
one event loop for each CPU it may use, no parsing. What is measured against it is the
generator and the kernel. It takes each read for one request, which holds for small
requests that are not pipelined; over HTTP/2 by prior knowledge it responds to each stream.`,
		Example: "  dyno null-server --port 8080",
		Args:    cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port < 1 || port > 65535 {
				return cli.UsageError(i18n.Errorf("loadcmd.bad-port", "--port must be from 1 to 65535, not %d", port))
			}
			cpus, err := subject.OnlineCPUs()
			if err != nil {
				return err
			}
			return nullserver.Serve(cmd.Context(), net.JoinHostPort(host, strconv.Itoa(port)), len(cpus))
		},
	}
	cmd.Flags().IntVarP(&port, "port", "p", 0, "port to listen on")
	cmd.Flags().StringVar(&host, "host", "127.0.0.1", "address to listen on")
	return cmd
}
