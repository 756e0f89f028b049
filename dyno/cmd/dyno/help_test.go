package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpInChinese: no text of the help of any command lacks a translation, and what
// is printed has it.
func TestHelpInChinese(t *testing.T) {
	t.Parallel()
	commands := 0
	var visit func(path []string, cmd *cobra.Command)
	visit = func(path []string, cmd *cobra.Command) {
		if cmd.Name() == "completion" {
			return // its text is of cobra, for each shell
		}
		commands++
		root := newRootTelling(func(cmd *cobra.Command, text string) {
			t.Errorf("lang/zh.whole.json lacks %q of %s", strings.Join(strings.Fields(text), " "), cmd.CommandPath())
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
