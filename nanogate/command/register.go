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

	"dyno.example/nanogate/internal/discovery"
)

func newRegister() *cobra.Command {
	r := discovery.Registration{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	var endpoints []string
	var login clusterFlags
	cmd := &cobra.Command{
		Use:   "register --prefix PREFIX HOST:PORT",
		Short: "Register an instance in etcd while this runs",
		Long: `Registers an instance in etcd, in the form of its naming/endpoints package, until SIGINT
or SIGTERM, which remove it. If the process dies, the entry expires after --ttl.`,
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
			store, err := discovery.StoreOf("etcd")
			if err != nil {
				return usageError{err}
			}
			if err := store.CheckRegistration(&r); err != nil {
				return usageError{err}
			}
			if r.Cluster, err = login.cluster("etcd", endpoints); err != nil {
				return err
			}
			if err := store.Register(cmd.Context(), &r, func() { r.Log.Info("registered", "address", r.Address, "prefix", r.Prefix, "ttl", r.TTL) }); err != nil {
				return fmt.Errorf("the entry stays until it expires after %s: %w", r.TTL, err)
			}
			r.Log.Info("taken out", "address", r.Address, "prefix", r.Prefix)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&endpoints, "etcd", []string{"127.0.0.1:2379"}, "`members` of the etcd cluster, host:port or URLs")
	flags.StringVar(&r.Prefix, "prefix", "", "`prefix` of the key, such as /services/users/")
	flags.DurationVar(&r.TTL, "ttl", 10*time.Second, "how long the entry outlives a process that died")
	flags.IntVar(&r.Weight, "weight", 1, "its weight, 1 to 1000")
	flags.StringVar(&r.Zone, "zone", "", "`name` of its zone")
	login.add(cmd)
	return cmd
}
