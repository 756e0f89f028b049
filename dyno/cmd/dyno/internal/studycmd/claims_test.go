package studycmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A list of claims shows verdicts where there are some: a file with the name of the folder
// that they are in is no such place, and no fault.
func TestClaimsWithoutResults(t *testing.T) {
	for name, make := range map[string]func() error{
		"an empty folder":   func() error { return nil },
		"a file named dyno": func() error { return os.WriteFile("dyno", nil, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := make(); err != nil {
				t.Fatal(err)
			}
			list, err := questions(defaultResults, false)
			if err != nil || len(list) == 0 {
				t.Errorf("%d claims, error %v", len(list), err)
			}
			if _, err := questions(defaultResults, true); err == nil || !strings.Contains(err.Error(), defaultResults) {
				t.Errorf("asked for results where there are none: error %v", err)
			}
		})
	}
}

// The page is drawn from published results: without any it would say that nothing was
// measured yet.
func TestAPageOfClaimsNeedsResults(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := NewClaims(nil)
	cmd.SetArgs([]string{"--page"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	if err == nil || !strings.Contains(err.Error(), defaultResults) || !strings.Contains(err.Error(), "--results") {
		t.Errorf("error %v does not say what is missing, and how to name it", err)
	}
	if _, err := questions(filepath.Join(t.TempDir(), "none"), true); err == nil {
		t.Error("a folder that is named and isn't there is no error")
	}
}
