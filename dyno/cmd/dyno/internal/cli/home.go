package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subjects"
	"dyno.example/internal/i18n"
)

// Home is where dyno keeps what it makes: DYNO_HOME, or .dyno in the user's
// home folder.
func Home() (string, error) {
	if dir := os.Getenv("DYNO_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", i18n.Errorf("cli.home-not-found", "finding the home folder (set DYNO_HOME to choose another): %w", err)
	}
	return filepath.Join(dir, ".dyno"), nil
}

// Sweep ends what an earlier dyno left behind when it was killed with its keepers, and removes
// its files. home is that of [Home].
func Sweep(ctx context.Context, home string) error {
	if _, err := subject.Sweep(ctx, home); err != nil {
		return i18n.Errorf("runner.cleaning-up", "ending what an earlier run left behind: %w", err)
	}
	return nil
}

// Catalog returns the subjects that ship with dyno.
func Catalog() (*subject.Catalog, error) {
	files, err := subjects.FS()
	if err != nil {
		return nil, err
	}
	return subject.NewCatalog(files)
}

// CompleteStudies offers the built-in studies, and files.
func CompleteStudies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return studies.Names(), cobra.ShellCompDirectiveDefault
}

// CompleteSubjects offers the subjects that ship with dyno.
func CompleteSubjects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	c, err := Catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}
