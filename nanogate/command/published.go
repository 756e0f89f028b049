//go:build linux

package command

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/etcd"
	"dyno.example/nanogate/internal/gateway"
)

// publishedFlags say where in etcd a configuration stands.
type publishedFlags struct {
	endpoints []string
	key       string
	login     clusterFlags
}

func (f *publishedFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.endpoints, "config-etcd", nil, "members of the etcd cluster that has the configuration, host:port or a URL each, in place of -c")
	flags.StringVar(&f.key, "config-key", "", "the key under which it stands, as a whole")
	f.login.add(flags)
}

// follow begins to follow the configuration; nil if there is none in etcd.
func (f *publishedFlags) follow(ctx context.Context, clusters *etcd.Clusters, log *slog.Logger) (*published, error) {
	if len(f.endpoints) == 0 {
		if f.key != "" || f.login.user+f.login.password+f.login.ca+f.login.cert+f.login.key != "" {
			return nil, usageError{errors.New("--config-key and --etcd-… go with --config-etcd")}
		}
		return nil, nil
	}
	if f.key == "" {
		return nil, usageError{errors.New("--config-etcd: which key? --config-key /nanogate/config")}
	}
	c, err := f.login.cluster("config-etcd", f.endpoints)
	if err != nil {
		return nil, err
	}
	p := &published{document: clusters.Document(&c, f.key), name: "etcd:" + f.key, log: log, told: make(chan etcd.Version)}
	go p.document.Watch(ctx, func(v etcd.Version) {
		select {
		case p.told <- v:
		case <-ctx.Done():
		}
	})
	return p, nil
}

// published is a configuration that stands in etcd.
type published struct {
	document *etcd.Document
	name     string
	log      *slog.Logger
	told     chan etcd.Version
	serving  string // the text that is served
}

// versions are told as they come; none of nil.
func (p *published) versions() <-chan etcd.Version {
	if p == nil {
		return nil
	}
	return p.told
}

// patience is how long a start waits for etcd before it takes what is on disk.
const patience = 5 * time.Second

// first returns the first configuration that can be served: what etcd has, or else the
// last good one that is on disk. While there is neither it waits; nil when ctx ends.
func (p *published) first(ctx context.Context) (*config.Config, error) {
	late := time.After(patience)
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case v := <-p.told:
			if c := p.read(v); c != nil {
				p.keep(v)
				return c, nil
			}
		case <-late:
			p.log.Warn("etcd doesn't answer", "configuration", p.name)
		}
		if c := p.last(); c != nil {
			return c, nil
		}
		p.log.Warn("waiting for a configuration that can be served", "configuration", p.name)
	}
}

// last is the last good configuration that is on disk; nil if there is none.
func (p *published) last() *config.Config {
	v, err := p.document.Last()
	if err != nil {
		p.log.Error("the last good configuration can't be read", "error", err)
	}
	if !v.There {
		return nil
	}
	c := p.read(v)
	if c != nil {
		p.serving = v.Text
		p.log.Warn("the last good configuration is served, from disk", "configuration", p.name, "revision", v.Revision)
	}
	return c
}

// read reads a version's configuration; it logs what is wrong, and returns nil.
func (p *published) read(v etcd.Version) *config.Config {
	switch {
	case v.Err != nil:
		p.log.Warn("the configuration can't be read from etcd", "configuration", p.name, "error", v.Err)
		return nil
	case !v.There:
		p.log.Warn("there is no configuration under that key", "configuration", p.name, "revision", v.Revision)
		return nil
	}
	c, err := config.ParseIn(".", p.name, []byte(v.Text))
	if err != nil {
		p.log.Error("the configuration is wrong", "configuration", p.name, "revision", v.Revision, "error", err)
		return nil
	}
	return c
}

// next serves another version, unless it can't be served: then what is served goes on.
func (p *published) next(g *gateway.Gateway, v etcd.Version) {
	if v.Err == nil && v.There && v.Text == p.serving {
		p.keep(v)
		return
	}
	c := p.read(v)
	if c == nil {
		p.log.Warn("what was served goes on")
		return
	}
	if _, err := g.ApplyTo(0, c, "etcd"); err != nil { // of any version; its problems are logged
		p.log.Error("the configuration can't be applied, and what was served goes on", "configuration", p.name, "revision", v.Revision, "error", err)
		return
	}
	p.keep(v)
	p.log.Info("configuration applied", "configuration", p.name, "revision", v.Revision, "routes", len(c.Routes), "upstreams", len(c.Upstreams))
}

// keep notes that a version is good.
func (p *published) keep(v etcd.Version) {
	p.serving = v.Text
	if err := p.document.Keep(v); err != nil {
		p.log.Error("the configuration can't be kept on disk: a start without etcd will have none", "error", err)
	}
}
