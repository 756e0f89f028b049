package runcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// leaveOut adds to the subjects that are left out those which ship with dyno and lack
// something on this machine, and says so on standard error.
func (f *runFlags) leaveOut(s *study.Study, c *subject.Catalog) error {
	home, err := cli.Home()
	if err != nil {
		return err
	}
	var names []string
	var manifests []subject.Manifest
	for _, one := range s.Subjects {
		if one.Use == "" {
			continue
		}
		m, err := c.Get(one.Use)
		if err != nil {
			return err
		}
		names, manifests = append(names, one.Name), append(manifests, m)
	}
	b := subject.Builder{Dir: filepath.Join(home, "cache")}
	_, errs := b.Look(context.Background(), c, manifests)
	var lacking []string
	for i, err := range errs {
		var need *subject.NeedError
		switch {
		case errors.As(err, &need):
			lacking = append(lacking, names[i])
		case err != nil:
			return i18n.Errorf("runner.subject", "subject %s: %w", names[i], err)
		}
	}
	if len(lacking) > 0 {
		i18n.Printer{To: os.Stderr, Say: i18n.Message.String}.Print(i18n.New("runcmd.not-ready-left-out", "--ready: left out, as they lack something on this machine (see dyno subjects): %s", i18n.Names(lacking...)))
	}
	f.without = append(f.without, lacking...)
	return nil
}
