package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"dyno.example/dyno/present"
)

// widestHelp is how many columns a line of help has at most: those that are written by hand
// may be somewhat longer than a narrow terminal.
const widestHelp = 100

// TestHelpInChinese: no text of the help of any command lacks a translation, and what
// is printed has it, in lines of a terminal.
func TestHelpInChinese(t *testing.T) {
	t.Parallel()
	commands := 0
	var visit func(path []string, cmd *cobra.Command)
	visit = func(path []string, cmd *cobra.Command) {
		if cmd.Name() == "completion" {
			return // its text is of cobra, for each shell
		}
		commands++
		root := newRootTelling(func(id, english string, has bool) {
			if !has && prose.MatchString(english) {
				t.Errorf("lang/zh.help.json lacks %s: %q", id, english)
			}
		})
		var out strings.Builder
		root.SetOut(&out)
		root.SetArgs(append(path, "--help", "--lang", "zh"))
		if err := root.Execute(); err != nil {
			t.Error(err)
		}
		for _, want := range []string{"用法：", "选项："} {
			if !strings.Contains(out.String(), want) && !strings.Contains(out.String(), "其他：") {
				t.Errorf("%s: no %q in\n%s", strings.Join(path, " "), want, out.String())
			}
		}
		for _, english := range []string{"Usage:", "Flags:", "Commands:", "Other:", "(default ", "--help\" for"} {
			if strings.Contains(out.String(), english) {
				t.Errorf("%s: %q in\n%s", strings.Join(path, " "), english, out.String())
			}
		}
		for line := range strings.Lines(out.String()) {
			if n := present.Width(strings.TrimRight(line, "\n")); n > widestHelp {
				t.Errorf("%s: %d columns: %s", strings.Join(path, " "), n, line)
			}
		}
		for _, below := range cmd.Commands() {
			if !below.Hidden {
				visit(append(path[:len(path):len(path)], below.Name()), below)
			}
		}
	}
	visit(nil, newRoot())
	if commands < 30 {
		t.Errorf("only %d commands were looked at", commands)
	}
}

// prose matches three words in a row that are neither names nor code.
var prose = regexp.MustCompile(`\b[a-z']+ [a-z']+ [a-z']+\b`)
