package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// exitCode is that of a command line, run in this process: for such as measure nothing.
func exitCode(t *testing.T, args ...string) int {
	t.Helper()
	root := newRoot()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(args)
	err := cli.Execute(t.Context(), root)
	var exit *cli.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return 1
}

// Every command ends with 2 if it was typed wrongly, and with 0 if its help was asked for:
// scripts would have to know each of them otherwise. All are in the table of the docs.
func TestExitCodesOfEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	var visit func(path []string, cmd *cobra.Command)
	visit = func(path []string, cmd *cobra.Command) {
		name := strings.Join(append([]string{"dyno"}, path...), " ")
		if !cmd.HasSubCommands() && !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("dyno/docs/exit-codes.md does not have %q", name)
		}
		many := append(path[:len(path):len(path)], strings.Fields("a b c d e f")...)
		cases := [][]string{append(path[:len(path):len(path)], "--no-such-flag"), append(path[:len(path):len(path)], "--lang", "xx", "--lang")}
		if !strings.Contains(cmd.Use, "...") { // it takes any number
			cases = append(cases, many)
		}
		for _, args := range cases {
			if code := exitCode(t, args...); code != cli.ExitUsage {
				t.Errorf("dyno %s: exit code %d, want %d", strings.Join(args, " "), code, cli.ExitUsage)
			}
		}
		if code := exitCode(t, append(path[:len(path):len(path)], "--help")...); code != 0 {
			t.Errorf("%s --help: exit code %d", name, code)
		}
		for _, below := range cmd.Commands() {
			if !below.Hidden {
				visit(append(path[:len(path):len(path)], below.Name()), below)
			}
		}
	}
	visit(nil, newRoot())
	for code, row := range map[int]string{cli.ExitUsage: "| 2 |", cli.ExitCannotTell: "| 3 |", cli.ExitInterrupted: "| 130 |"} {
		if !strings.Contains(string(page), row) {
			t.Errorf("dyno/docs/exit-codes.md does not have %d", code)
		}
	}
}
