package main

import (
	"testing"
)

func TestRunForAWhile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 2, "good", "twin: "+serverBinary+" good")
	o := dyno(t, home, "run", file, "--for", "6s", "--accept", "other-load", "--accept", "steal")
	o.want(t, 0, o.stdout, "2 cells × 1 block = 2 trials", "then block by block, at most 6s in all", "--for 6s --keep-going --accept other-load --accept steal")
	contains(t, o.stderr, "ends here: another block would take longer than there is time for")
	manifest := read(t, home+"/runs/"+onlyRun(t, home)+"/manifest.json")
	contains(t, manifest, `"ended": "time"`, `"time": 6000000000`, `"steal"`)
}

func TestRunRefusesWhatItCantAccept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 1, "good")
	for arg, says := range map[string]string{
		"--accept=driftng":      `did you mean "drifting"?`,
		"--accept=trial-failed": "trial-failed can't be accepted",
		"--repeats=-1":          "--repeats must be at least 0",
		"--for=10ms":            "--for must be at least 1s",
	} {
		o := dyno(t, home, "run", file, arg)
		o.want(t, 2, o.stderr, says)
	}
}
