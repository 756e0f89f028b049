package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno/lab/subject"
	"dyno/studies"
	"dyno/subjects"
)

// home is where dyno keeps what it makes: DYNO_HOME, or .dyno in the user's
// home folder.
func home() (string, error) {
	if dir := os.Getenv("DYNO_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the home folder (set DYNO_HOME to choose another): %w", err)
	}
	return filepath.Join(dir, ".dyno"), nil
}

// catalog returns the subjects that ship with dyno.
func catalog() (*subject.Catalog, error) {
	files, err := subjects.FS()
	if err != nil {
		return nil, err
	}
	return subject.NewCatalog(files)
}

func completeStudies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return studies.Names(), cobra.ShellCompDirectiveDefault
}

func completeSubjects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	c, err := catalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}
