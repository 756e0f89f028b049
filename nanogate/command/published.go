//go:build linux

package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/discovery"
)

// publishedFlags say where in etcd a configuration stands.
type publishedFlags struct {
	endpoints []string
	key       string
	login     clusterFlags
}

func (f *publishedFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.endpoints, "config-etcd", nil, "`members` of the etcd cluster that holds the configuration, host:port or URLs, instead of -c")
	flags.StringVar(&f.key, "config-key", "", "the `key` that holds it")
	f.login.add(cmd)
}

// source is what follows the configuration; nil if there is none in etcd.
func (f *publishedFlags) source(found *discovery.Set) (discovery.Configuration, error) {
	if len(f.endpoints) == 0 {
		if f.key != "" || f.login.user+f.login.password+f.login.ca+f.login.cert+f.login.key != "" {
			return nil, usageError{errors.New("--config-key and --etcd-… go with --config-etcd")}
		}
		return nil, nil
	}
	if f.key == "" {
		return nil, usageError{errors.New("--config-etcd needs a key, such as --config-key /nanogate/config")}
	}
	c, err := f.login.cluster("config-etcd", f.endpoints)
	if err != nil {
		return nil, err
	}
	store, err := discovery.StoreOf("etcd")
	if err != nil {
		return nil, usageError{fmt.Errorf("--config-etcd: %w", err)}
	}
	return store.Configuration(found, &c, f.key)
}
