package studycmd

import (
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
)

// A run that nobody can repeat is published for a reason only.
func TestPublishWantsACleanCommit(t *testing.T) {
	for version, clean := range map[string]bool{"devel": false, "v0.0.0-20261121085726-880e9dd100ce+dirty": false, "v0.0.0-20261121085726-880e9dd100ce": true, "v1.2.3": true} {
		run := analysistest.Run(1)
		run.Manifest.Dyno = version
		a, err := analysis.Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkClean(a, ""); (err == nil) != clean || err != nil && !strings.Contains(err.Error(), "--unclean") {
			t.Errorf("%s: %v", version, err)
		}
		if err := checkClean(a, "the only run there is"); err != nil {
			t.Errorf("%s, with a reason: %v", version, err)
		}
	}
}
