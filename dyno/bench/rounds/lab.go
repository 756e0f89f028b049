//go:build linux

package rounds

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// Lab is what the trials of a program share: settings, programs and files.
type Lab struct {
	Options *Options
	Watch   *Watch
	// Upstreams, if set, are servers other than the one that is measured that have a part in
	// its load. They are stopped at the end.
	Upstreams func() []*Server

	Dir         string // temporary
	Self        string // this program, which is servers and generators too
	Dyno        string // built from this source, unless it was given
	Certificate string // PEM file with certificate and key
}

// open makes what all campaigns need, and has prepare make the rest.
func (l *Lab) open(ctx context.Context, prepare func(context.Context) error) (done func(), err error) {
	if l.Dir, err = os.MkdirTemp("", "rounds-"); err != nil {
		return nil, err
	}
	l.Watch = NewWatch()
	if err = l.equip(ctx); err == nil {
		err = prepare(ctx)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l.close, nil
}

// equip makes what this program, dyno and their TLS are found by.
func (l *Lab) equip(ctx context.Context) (err error) {
	if l.Self, err = os.Executable(); err != nil {
		return err
	}
	if l.Dyno == "" {
		l.Dyno = filepath.Join(l.Dir, "dyno")
		if err := Build(ctx, l.Dyno, "dyno/cmd/dyno"); err != nil {
			return err
		}
	}
	l.Certificate = filepath.Join(l.Dir, "certificate.pem")
	return WriteCertificate(l.Certificate)
}

func (l *Lab) close() {
	if l.Upstreams != nil {
		for _, s := range l.Upstreams() {
			s.Stop(time.Second)
		}
	}
	l.Watch.Close()
	os.RemoveAll(l.Dir)
}
