package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestStudyInitCheckSchema(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "study", "init")
	o.want(t, 0, o.stdout, "wrote study.yaml", "dyno run study.yaml")
	if !strings.Contains(read(t, filepath.Join(home, "study.yaml")), "#") {
		t.Error("the starter has no comment")
	}
	o = dyno(t, home, "study", "init")
	o.want(t, 1, o.stderr, "study.yaml", "nothing was written")
	o = dyno(t, home, "study", "init", "other study.yaml")
	o.want(t, 0, o.stdout, "'other study.yaml'")
	o = dyno(t, home, "study", "check", "study.yaml")
	o.want(t, 0, o.stdout, "plan: ", "block 1: cells")
	o = dyno(t, home, "study", "check", "go-frameworks")
	o.want(t, 0, o.stdout, "go/gnet")
	o = dyno(t, home, "study", "schema")
	o.want(t, 0, o.stdout)
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(o.stdout))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.json", schema); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Compile("study.json"); err != nil {
		t.Error(err)
	}
}

func TestWrongStudies(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeStudy(t, home, `study: wrong
subjects: [go/gni]
requests: [{name: root, gett: /}]
loads: [{name: steady, closed: {connections: 0}}]
`)
	for _, args := range [][]string{{"run", "study.yaml"}, {"run", "study.yaml", "--plan"}, {"study", "check", "study.yaml"}} {
		o := dyno(t, home, args...)
		o.want(t, 2, o.stderr, "study.yaml:2:12: subjects[0]", "study.yaml:3:", "gett", "study.yaml:4:", "connections", "did you mean")
	}
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"run"}, "a study's name or file"},
		{[]string{"run", "go-framework"}, `did you mean "go-frameworks"?`},
		{[]string{"run", "missing.yaml"}, "missing.yaml"},
		{[]string{"run", "."}, "directory"},
		{[]string{"run", "go-frameworks", "--blocks", "-1"}, "--blocks"},
		{[]string{"run", "go-frameworks", "--blocks", "1000000"}, "blocks"},
		{[]string{"run", "go-frameworks", "--sed", "1"}, "did you mean --seed?"},
	} {
		o := dyno(t, home, c.args...)
		o.want(t, 2, o.stderr, c.why)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"tune", "--dry-run"}, 2, `no command "tune"; did you mean machine tune?`},
		{[]string{"lod"}, 2, `no command "lod"; did you mean load?`},
		{[]string{"study", "plan", "x", "--find", "0"}, 2, "not a share from 0.1% to 100%"},
		{[]string{"study", "plan", "x", "--power", "100%"}, 2, "not a share from 50% to 99%"},
		{[]string{"noise", "--help"}, 2, `no command "noise"; did you mean machine noise?`},
		{[]string{"help", "noise"}, 2, `no command "noise"; did you mean machine noise?`},
		{[]string{"machine", "nois", "--help"}, 2, `no command "nois"; did you mean noise?`},
		{[]string{"completion", "nope"}, 2, `no command "nope"`},
		{[]string{"attack"}, 2, `no command "attack"; here: dyno load URL`},
		{[]string{"http://127.0.0.1:1/"}, 2, "here: dyno load http://127.0.0.1:1/"},
		{[]string{"run", "go-frameworks", "--vus", "5"}, 2, "a study's file says what is sent; of dyno load: -c is"},
		{[]string{"run", "go-frameworks", "-R", "5"}, 2, "it is a flag of dyno load"},
		{[]string{"gate", "go-frameworks", "--against", "main", "--accept", "stel"}, 2, `--accept: no finding is named "stel"; did you mean "steal"?`},
		{[]string{"gate", "run", "--baseline", "main", "--accept", "steal"}, 2, "they don't go with a run"},
		{[]string{"study", "chek"}, 2, `no command "chek"; did you mean check?`},
		{[]string{"--colour"}, 2, "unknown flag: --colour"},
		{[]string{"list", "x"}, 2, "takes no argument"},
		{[]string{"rm"}, 2, "the IDs of runs"},
		{[]string{"rm", "20200101"}, 1, `no run "20200101"`},
		{[]string{"show", "latest"}, 1, "there are no runs in"},
		{[]string{"report", "x", "--html", "--csv"}, 2, "[csv html]"},
		{[]string{"report", "x", "--lang", "de"}, 2, "neither en nor zh"},
		{[]string{"study", "init", "a", "b"}, 2, "at most a file"},
		{[]string{"up"}, 2, "a subject's name"},
		{[]string{"up", "go/gni"}, 2, "go/gin"},
		{[]string{"up", "go/gin", "--port", "70000"}, 2, "70000"},
	} {
		o := dyno(t, home, c.args...)
		o.want(t, c.code, o.stderr, c.why)
		if o.stdout != "" {
			t.Errorf("%q: on standard output: %s", c.args, o.stdout)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "studies")
	o.want(t, 0, o.stdout, "go-frameworks", "Which Go HTTP framework")
	o = dyno(t, home, "subjects")
	o.want(t, 0, o.stdout, "FRAMEWORK", "go/gin", "go/gnet", "engine")
	o = dyno(t, home, "list")
	o.want(t, 0, o.stdout, "no runs yet")
	o = dyno(t, home, "machine")
	o.want(t, 0, o.stdout, "Processor", "CPUs", "Memory")
	o = dyno(t, home)
	o.want(t, 0, o.stdout, "dyno run go-frameworks --quick")
	o = dyno(t, home, "--version")
	o.want(t, 0, o.stdout, "dyno version ")
}

func TestADamagedRunIsListed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(home, "runs", "20200101-000000-broken-0000")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := dyno(t, home, "list")
	o.want(t, 0, o.stdout, "20200101-000000-broken-0000", "damaged")
	o = dyno(t, home, "show", "latest")
	o.want(t, 1, o.stderr, "manifest.json")
	o = dyno(t, home, "rm", "20200101")
	o.want(t, 0, o.stderr)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		o := dyno(t, home, "completion", shell)
		o.want(t, 0, o.stdout, "dyno")
	}
	for _, c := range []struct {
		words []string
		part  string
	}{
		{[]string{"run", ""}, "go-frameworks"}, {[]string{"up", "go/"}, "go/gin"}, {[]string{"show", ""}, "latest"},
		{[]string{"load", "--"}, "--rate"}, {[]string{"--lang", ""}, "zh"},
	} {
		o := dyno(t, home, append([]string{"__complete"}, c.words...)...)
		o.want(t, 0, o.stdout, c.part)
	}
}

// The document of report --json is for other programs: one JSON value, and the
// one that the run kept beside its record.
func TestReportJSONIsWhatTheRunKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dyno(t, home, "run", studyFile(t, home, 1, "good"), "-q")
	o := dyno(t, home, "report", "latest", "--json")
	o.want(t, 0, o.stderr)
	if !json.Valid([]byte(o.stdout)) {
		t.Errorf("not JSON: %s", o.stdout)
	}
	if kept := read(t, filepath.Join(home, "runs", onlyRun(t, home), "analysis.json")); kept != o.stdout {
		t.Error("the kept analysis differs from the reported one")
	}
	o = dyno(t, home, "report", "latest", "--claims")
	o.want(t, 0, o.stdout, "run,study,validity,claim,says,published,verdict,")
}

// What is a secret in a study is in nothing that dyno run prints, nor in its plan.
func TestRunShowsNoSecrets(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := writeStudy(t, home, fmt.Sprintf(`study: secretive
subjects: [{name: good, run: %q, ready: /ready, env: {API_KEY: opensesame}}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 200, connections: 2}}]
factors: {env.DB_PASSWORD: [hunter22, swordfish]}
trial: {warmup: 0s, duration: 1s}
blocks: 1
twin: false
`, serverBinary+" good"))
	for _, args := range [][]string{{"--plan"}, {"--plan", "--json"}, {"--json"}, {}} {
		o := dyno(t, home, append([]string{"run", file}, args...)...)
		o.want(t, 0, o.stdout, "***1", "***2")
		for _, secret := range []string{"opensesame", "hunter22", "swordfish"} {
			if strings.Contains(o.stdout+o.stderr, secret) {
				t.Errorf("%q: %s is shown:\n%s\n%s", args, secret, o.stdout, o.stderr)
			}
		}
	}
}
