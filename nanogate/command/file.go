//go:build linux

package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/config"
)

// fileArgument is the configuration file that a command takes, as -c FILE or as its only
// argument.
type fileArgument struct{ flag string }

func (f *fileArgument) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.flag, "config", "c", "", "the configuration `file`, instead of an argument")
	configFiles(cmd, "config")
	cmd.ValidArgsFunction = completeFile
}

// name returns the file, "" if none is given.
func (f *fileArgument) name(args []string) (string, error) {
	switch {
	case len(args) > 1:
		return "", usageError{fmt.Errorf("expected one file, got %q", args)}
	case len(args) == 1 && f.flag != "" && args[0] != f.flag:
		return "", usageError{fmt.Errorf("expected one file, got -c %s and %s", f.flag, args[0])}
	case len(args) == 1:
		return args[0], nil
	}
	return f.flag, nil
}

// must is name for commands that are nothing without a file.
func (f *fileArgument) must(cmd *cobra.Command, args []string) (string, error) {
	name, err := f.name(args)
	if err == nil && name == "" {
		err = usageError{fmt.Errorf("no configuration file is named: %s nanogate.yaml", cmd.CommandPath())}
	}
	return name, err
}

// open reads a configuration, and writes what is wrong with it.
func open(errs io.Writer, file string) (*config.Config, error) {
	c, err := config.Open(file)
	if problems := (config.Problems)(nil); errors.As(err, &problems) {
		fmt.Fprintln(errs, problems)
		return nil, mistakes(file, len(problems))
	}
	return c, err
}

// mistakes says how many a file has, which have been written.
func mistakes(file string, n int) error {
	return configError{fmt.Errorf("%s: %s", file, counted(n, "error"))}
}

// counted is a number of things: "1 route", "2 routes".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
