package loadcmd

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// TestLoadHelp: every flag is shown once, in a group.
func TestLoadHelp(t *testing.T) {
	var out strings.Builder
	cmd := New(&cli.Global{})
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"--help"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	_, usage, _ := strings.Cut(out.String(), "\nUsage:")
	grouped := make(map[string]bool)
	for _, g := range loadGroups {
		for _, name := range g.flags {
			grouped[name] = true
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden { // an alias
			return
		}
		shown := 0
		for line := range strings.Lines(usage) {
			if _, flag, ok := strings.Cut(line, "--"); ok && strings.HasPrefix(line, "  ") && strings.Fields(flag + " ")[0] == f.Name {
				shown++
			}
		}
		if shown == 0 || !grouped[f.Name] && f.Name != "help" {
			t.Errorf("--%s is in no group, or not shown", f.Name)
		}
	})
}
