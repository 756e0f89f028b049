//go:build linux

package command

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/etcd"
)

func newRegister() *cobra.Command {
	r := etcd.Registration{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var endpoints []string
	var login clusterFlags
	cmd := &cobra.Command{
		Use:   "register --prefix PREFIX HOST:PORT",
		Short: "Enter an instance in etcd for as long as this runs",
		Long: `Writes the instance below the prefix, in the form of etcd's naming/endpoints package,
and keeps it there until SIGINT or SIGTERM, which take it out. If this ends in another
way, the instance is gone after the time that --ttl says.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("expected one address, host:port, got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.Prefix == "" || !strings.HasSuffix(r.Prefix, "/") {
				return usageError{errors.New("--prefix: expected one that ends with a slash, such as /services/users/")}
			}
			r.Address = args[0]
			if err := r.Check(); err != nil {
				return usageError{err}
			}
			var err error
			if r.Cluster, err = login.cluster("etcd", endpoints); err != nil {
				return err
			}
			if err := r.Run(cmd.Context(), func() { r.Log.Info("registered", "address", r.Address, "prefix", r.Prefix, "ttl", r.TTL) }); err != nil {
				return fmt.Errorf("it is gone after %s only: %w", r.TTL, err)
			}
			r.Log.Info("taken out", "address", r.Address, "prefix", r.Prefix)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&endpoints, "etcd", []string{"127.0.0.1:2379"}, "members of the etcd cluster, host:port or a URL each")
	flags.StringVar(&r.Prefix, "prefix", "", "of the key, such as /services/users/")
	flags.DurationVar(&r.TTL, "ttl", 10*time.Second, "how long the instance stays when this has died")
	flags.IntVar(&r.Weight, "weight", 1, "its share beside the others', 1 to 1000")
	flags.StringVar(&r.Zone, "zone", "", "where it is")
	login.add(flags)
	return cmd
}
