//go:build linux

package command

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write the list of commands into nanogate/docs/commands.md")

const (
	commandsPage  = "../docs/commands.md"
	commandsBegin = "<!-- begin: all commands, by go test ./nanogate/command -run Reference -update -->\n"
	commandsEnd   = "<!-- end -->\n"
)

// The page lists the commands with what they say of themselves, and their flags.
func TestReference(t *testing.T) {
	var b strings.Builder
	commands := 0
	for _, c := range (&program{name: "nanogate"}).root().Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		commands++
		fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n\n%s\n\n", c.Name(), c.UseLine(), described(c))
		if c.Flags().HasAvailableFlags() {
			b.WriteString("| flag | default | meaning |\n|---|---|---|\n")
			c.Flags().VisitAll(func(f *pflag.Flag) { b.WriteString(flagRow(f)) })
			b.WriteString("\n")
		}
	}
	if commands < 12 {
		t.Fatalf("only %d commands were found", commands)
	}
	text, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), commandsBegin)
	_, tail, ok2 := strings.Cut(rest, commandsEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the list: %s%s", commandsPage, commandsBegin, commandsEnd)
	}
	want := head + commandsBegin + "\n" + b.String() + commandsEnd + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s isn't what the commands say: go test ./nanogate/command -run Reference -update", commandsPage)
	}
	if err := os.WriteFile(commandsPage, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// described is what a command says of itself; what it shows as a terminal would have it stays so.
func described(c *cobra.Command) string {
	text := strings.TrimSpace(c.Long)
	if text == "" {
		return c.Short + "."
	}
	var out []string
	if c.Example != "" {
		text += "\n\n" + strings.TrimRight(c.Example, "\n ")
	}
	for _, part := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(part, "  ") {
			part = "```sh\n" + strings.ReplaceAll(strings.TrimPrefix(part, "  "), "\n  ", "\n") + "\n```"
		}
		out = append(out, part)
	}
	return strings.Join(out, "\n\n")
}

// flagRow is a flag's line of a table.
func flagRow(f *pflag.Flag) string {
	if f.Hidden || f.Name == "help" {
		return ""
	}
	name, usage := pflag.UnquoteUsage(f)
	shown := "--" + f.Name
	if f.Shorthand != "" {
		shown = "-" + f.Shorthand + ", " + shown
	}
	if name != "" {
		shown += " " + strings.ToUpper(name)
	}
	otherwise := ""
	if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
		otherwise = "`" + f.DefValue + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", shown, otherwise, strings.ReplaceAll(usage, "|", "\\|"))
}
