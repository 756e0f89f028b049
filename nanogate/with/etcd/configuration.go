//go:build linux

package etcd

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/etcd"
	"dyno.example/nanogate/serve"
)

// Key is the key in etcd that holds a whole configuration.
type Key struct {
	Endpoints []string // members of the cluster: host:port, http://host:port or https://host:port
	Key       string   // such as "/nanogate/config"

	User, PasswordFile string // without a user there is no login
	CA                 string // file of the CAs of the members' certificates; "": those that the system trusts
	Cert, CertKey      string // files of our certificate; "": none

	State string       // directory that keeps the last good configuration, for a start without etcd; "": it isn't kept
	Log   *slog.Logger // nil: the default one
}

// Source is the source of the configuration, for [serve.Follow]. It reads the files
// with credentials, and opens no connection yet.
func (k Key) Source() (serve.Source, error) {
	c, err := k.cluster()
	if err == nil && k.Key == "" {
		err = errors.New("which key? such as /nanogate/config")
	}
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	clusters := etcd.New(etcd.Options{State: k.State, Log: cmp.Or(k.Log, slog.Default())})
	return clusters.Configuration(c, k.Key), nil
}

func (k Key) cluster() (*config.EtcdCluster, error) {
	c := config.NewEtcdCluster()
	for _, text := range k.Endpoints {
		endpoint, err := config.EtcdEndpoint(text, k.CA+k.Cert != "")
		if err != nil {
			return nil, err
		}
		c.Endpoints = append(c.Endpoints, endpoint)
		if c.TLS() != strings.HasPrefix(endpoint, "https://") {
			return nil, errors.New("endpoints of one cluster are all http:// or all https://")
		}
	}
	switch {
	case len(c.Endpoints) == 0:
		return nil, errors.New("there are no endpoints")
	case (k.User == "") != (k.PasswordFile == ""):
		return nil, errors.New("a user and a password's file go together")
	case (k.Cert == "") != (k.CertKey == ""):
		return nil, errors.New("a certificate and its key go together")
	case k.CA+k.Cert != "" && !c.TLS():
		return nil, errors.New("an endpoint says http://, and a certificate is given")
	}
	c.User, c.Password = config.Secret{Text: k.User}, config.Secret{File: k.PasswordFile}
	c.CA, c.Cert, c.Key = k.CA, k.Cert, k.CertKey
	return &c, etcd.Check(&c)
}
