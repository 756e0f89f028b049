//go:build linux

package command

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
)

// clusterFlags are how the command line logs in to etcd.
type clusterFlags struct {
	user, password, ca, cert, key string
	timeout                       time.Duration
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.user, "etcd-user", "", "`name` of the user in etcd")
	flags.StringVar(&f.password, "etcd-password-file", "", "`file` with the user's password")
	flags.StringVar(&f.ca, "etcd-ca", "", "PEM `file` of the CA that signs etcd's certificates")
	flags.StringVar(&f.cert, "etcd-cert", "", "PEM `file` of the client certificate for etcd")
	flags.StringVar(&f.key, "etcd-key", "", "PEM `file` of its key")
	flags.DurationVar(&f.timeout, "etcd-timeout", config.NewEtcdCluster().Timeout, "how long etcd may take to respond")
}

// cluster is the cluster of those endpoints; flag is the name of theirs.
func (f *clusterFlags) cluster(flag string, endpoints []string) (config.EtcdCluster, error) {
	c := config.NewEtcdCluster()
	for _, text := range endpoints {
		endpoint, err := config.EtcdEndpoint(text, f.ca+f.cert != "")
		if err != nil {
			return c, usageError{fmt.Errorf("--%s: %w", flag, err)}
		}
		c.Endpoints = append(c.Endpoints, endpoint)
		if c.TLS() != strings.HasPrefix(endpoint, "https://") {
			return c, usageError{fmt.Errorf("--%s: endpoints of one cluster are all http:// or all https://", flag)}
		}
	}
	switch {
	case f.timeout < 10*time.Millisecond || f.timeout > time.Minute:
		return c, usageError{fmt.Errorf("--etcd-timeout: expected 10ms to 1m, got %s", f.timeout)}
	case len(c.Endpoints) == 0:
		return c, usageError{fmt.Errorf("--%s: expected host:port", flag)}
	case (f.user == "") != (f.password == ""):
		return c, usageError{errors.New("--etcd-user and --etcd-password-file go together")}
	case (f.cert == "") != (f.key == ""):
		return c, usageError{errors.New("--etcd-cert and --etcd-key go together")}
	case f.ca+f.cert != "" && !c.TLS():
		return c, usageError{fmt.Errorf("--%s: it says http://, and a certificate is given", flag)}
	}
	c.User, c.Password = config.Secret{Text: f.user}, config.Secret{File: f.password}
	c.Timeout = f.timeout
	c.CA, c.Cert, c.Key = f.ca, f.cert, f.key
	store, err := discovery.StoreOf("etcd")
	if err != nil {
		return c, usageError{fmt.Errorf("--%s: %w", flag, err)}
	}
	return c, store.Check(&c)
}

// embeddedFlags are of the etcd server within this process.
type embeddedFlags struct{ dir, listen string }

func (f *embeddedFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "embedded-etcd", "", "run an etcd server in this process, with its data in this `directory`, to try discovery out")
	flags.StringVar(&f.listen, "embedded-etcd-listen", "127.0.0.1:2379", "loopback `address` of that server")
}

// start starts the server, if a flag says so.
func (f *embeddedFlags) start(log *slog.Logger) (stop func(), err error) {
	if f.dir == "" {
		return func() {}, nil
	}
	server, err := discovery.LocalOf("etcd")
	if err != nil {
		return nil, usageError{fmt.Errorf("--embedded-etcd: %w", err)}
	}
	if err := server.CheckListen(f.listen); err != nil {
		return nil, usageError{fmt.Errorf("--embedded-etcd-listen: %w", err)}
	}
	s, err := server.Start(f.dir, f.listen)
	if err != nil {
		return nil, err
	}
	go func() {
		if err, ok := <-s.Failed(); ok {
			log.Error("embedded etcd stopped", "error", err)
		}
	}()
	log.Info("embedded etcd is ready", "address", s.Where(), "data", f.dir)
	return s.Close, nil
}

// givenStateDir is the state directory that the flag or the environment names; "":
// neither does.
func givenStateDir(flag string) string {
	switch flag {
	case "none":
		return ""
	case "":
		// systemd gives the directories of StateDirectory= with colons between.
		first, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
		return first
	}
	return flag
}

// stateDir is where a gateway keeps what it must know after a restart; "" is nowhere.
func stateDir(flag string) string {
	if dir := givenStateDir(flag); dir != "" || flag == "none" {
		return dir
	}
	// XDG Base Directory Specification 0.8.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nanogate")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "nanogate")
}
