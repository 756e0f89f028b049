package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/subject/check"
)

// smallSubjects are in languages of which this machine may have what they need, and whose
// builds take seconds. One of a language is enough: all of them are checked where
// DYNO_SUBJECTS is "all", which takes every toolchain.
var smallSubjects = []string{"c/h2o", "c/libmicrohttpd", "node/express", "perl", "php", "python/fastapi", "ruby", "lua"}

// TestSubjectsKeepTheirContract builds subjects and holds them to it. What a machine
// lacks is left out, unless all are asked for. Packages come from npm's and pip's own caches
// once they are there.
func TestSubjectsKeepTheirContract(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds subjects")
	}
	home := t.TempDir()
	args := append([]string{"subjects", "check", "--ready", "--json", "--patience", "20"}, smallSubjects...)
	if os.Getenv("DYNO_SUBJECTS") == "all" {
		args = []string{"subjects", "check", "--all", "--json", "--patience", "20"}
	}
	o := startCommand(t, exec.CommandContext(t.Context(), dynoBinary, args...), home).wait(t)
	var results []check.Result
	if err := json.Unmarshal([]byte(o.stdout), &results); err != nil {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	for _, r := range results {
		if r.Status != check.OK {
			t.Errorf("%s %s: %s", r.Name, r.Status, r.Problem)
		}
	}
	if (o.code == 0) == t.Failed() {
		t.Errorf("the exit code is %d", o.code)
	}
}

func TestSubjectsUsage(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"subjects", "check"}, 2, "or --all"},
		{[]string{"subjects", "check", "go/gni"}, 2, `did you mean "go/gin"?`},
		{[]string{"subjects", "check", "--all", "--jobs", "0"}, 2, "--jobs must be from 1 to 64"},
		{[]string{"subjects", "check", "--all", "--patience", "0"}, 2, "--patience must be from 1 to 100"},
		{[]string{"subjects", "install"}, 2, "language or name"},
		{[]string{"subjects", "install", "cobol"}, 2, `no subject "cobol"`},
		{[]string{"subjects", "clean", "go/gni"}, 2, `did you mean "go/gin"?`},
		{[]string{"subjects", "chekc"}, 2, "did you mean check?"},
	} {
		o := dyno(t, home, c.args...)
		o.want(t, c.code, o.stderr, c.want)
	}
	dyno(t, home, "subjects", "clean").want(t, 0, "")
	o := dyno(t, home, "subjects", "--json")
	o.want(t, 0, o.stdout, `"name": "go/gin"`, `"state": `)
}

// Who writes a subject checks it before it is packed.
func TestSubjectsFromAFolder(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := dyno(t, home, "subjects", "--from", folder)
	o.want(t, 2, o.stderr, "no folder LANGUAGE/NAME below it has a subject.yaml")
	write("routes.yaml", "- {name: plaintext, path: /plaintext, expect: {text: \"Hello, World!\"}}\n")
	manifest := "name: sh/x\nlanguage: sh\nframework: none\nversion: \"1\"\nrole: engine\nbuild: {command: \"false\", inputs: [\".\"]}\nrun: $OUT/x\nready: /plaintext\nroutes: ../../routes.yaml\n"
	write("sh/x/subject.yaml", manifest)
	o = dyno(t, home, "subjects", "--from", folder)
	o.want(t, 0, o.stdout, "sh/x", "ready")
	o = dyno(t, home, "subjects", "check", "--from", folder, "sh/x")
	o.want(t, 1, o.stdout, "sh/x failed: subject sh/x could not be built")
	o = dyno(t, home, "subjects", "check", "--from", folder, "go/gin")
	o.want(t, 2, o.stderr, `no subject "go/gin"`)
	write("sh/x/subject.yaml", manifest+"colour: blue\n")
	o = dyno(t, home, "subjects", "check", "--from", folder, "sh/x")
	o.want(t, 1, o.stderr, "--from "+folder+": ", "sh/x/subject.yaml", "colour")
}

// Without a PATH nothing is there, and all is named.
func TestSubjectsThatLackEverything(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	bare := func(args ...string) outcome {
		return startCommand(t, exec.Command("env", append([]string{"PATH=" + home, dynoBinary}, args...)...), home).wait(t)
	}
	o := bare("subjects", "check", "go/gin")
	o.want(t, 1, o.stdout, "go/gin lacks: go 1.26 or newer")
	if !strings.Contains(o.stderr, "0 of 1 subjects are ok, 0 failed, 1 lack something") {
		t.Error(o.stderr)
	}
	o = bare("subjects", "install", "go/gin")
	o.want(t, 0, o.stdout, "go: https://go.dev/dl")
}
