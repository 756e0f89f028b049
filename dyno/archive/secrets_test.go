package archive

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

func TestRedact(t *testing.T) {
	requests := []request.Request{{Path: "/", Headers: []request.Header{{Name: "Authorization", Value: "Bearer s3cr3t"}, {Name: "Accept", Value: "text/plain"}},
		Auth: "basic ann:s3cr3t", Cookies: []request.Header{{Name: "sid", Value: "s3cr3t="}, {Name: "n", Value: "1"}}}}
	m := Manifest{
		StudySource: "headers: {Authorization: Bearer s3cr3t}\nenv: {DB_PASSWORD: hunter22}",
		Command:     []string{"dyno", "load", "-H", "Authorization: Bearer s3cr3t", "--auth", "ann:s3cr3t", "--cookie", "sid=s3cr3t=", "-n", "100"},
		Subjects:    []Subject{{Name: "mine", Env: map[string]string{"DB_PASSWORD": "hunter22", "GOGC": "400"}}},
		Plan:        study.Plan{Cells: []study.Cell{{Requests: requests, Env: map[string]string{"API_TOKEN": "hunter22"}}}},
	}
	claims := []claim.Claim{{ID: "a", Expressions: []string{"cpu[env.API_TOKEN=hunter22] < 1ms"}, Direction: "cpu[env.API_TOKEN=hunter22] < 2ms"}}
	m.Claims = claims
	Redact(&m)
	document, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cr3t", "hunter22"} {
		if strings.Contains(string(document), secret) {
			t.Errorf("%q is in the manifest: %s", secret, document)
		}
	}
	for _, kept := range []string{"text/plain", "400", "Authorization", "DB_PASSWORD", "basic ***", `"100"`, "sid=***"} {
		if !strings.Contains(string(document), kept) {
			t.Errorf("%q is not in the manifest: %s", kept, document)
		}
	}
	if !strings.Contains(claims[0].Expressions[0], "hunter22") {
		t.Error("the claims of the study were changed")
	}
	if requests[0].Headers[0].Value != "Bearer s3cr3t" {
		t.Error("the request to send was changed")
	}
}

// secretManifest is that of a run whose cell has a secret level.
func secretManifest() Manifest {
	m := newManifest()
	m.Plan.Secrets = study.Secrets{"hunter22": "***1", "swordfish": "***2"}
	m.Plan.Cells = []study.Cell{{
		Subject: "a", Levels: map[string]string{"env.API_TOKEN": "***1", "env.SESSION_SECONDS": "3600"},
		Env:  map[string]string{"API_TOKEN": "hunter22", "SESSION_SECONDS": "3600", "PIN": "x"},
		Args: "-v --password=swordfish", BuildFlags: "'-ldflags=-X a=swordfish'",
		Requests: []request.Request{{Path: "/", Auth: "bearer b3arer"}},
	}}
	m.Subjects = []Subject{{Name: "a", Command: "./a --secret=opensesame", Builds: map[string]string{"-X a=swordfish": "sha256:1"}}}
	m.Claims = []claim.Claim{{ID: "a", Expressions: []string{"cpu[env.API_TOKEN=hunter22] < 1ms"}}}
	return m
}

// secretWords are what no file of such a run may hold.
var secretWords = []string{"0pen5esame", "hunter22", "swordfish", "opensesame", "b3arer"}

func TestRedactLevels(t *testing.T) {
	m := secretManifest()
	Redact(&m)
	c := &m.Plan.Cells[0]
	if c.Env["API_TOKEN"] != "***1" || c.Env["SESSION_SECONDS"] != "3600" || c.Args != "-v --password=***2" || m.Subjects[0].Command != "./a --secret=***" {
		t.Errorf("cell %+v, subject %+v", c, m.Subjects[0])
	}
	if got := m.Claims[0].Expressions[0]; got != "cpu[env.API_TOKEN=***1] < 1ms" {
		t.Errorf("the claim names another level than the cell: %s", got)
	}
	before, _ := json.Marshal(m)
	Redact(&m)
	if after, _ := json.Marshal(m); string(after) != string(before) {
		t.Errorf("redacted twice\n%s\nonce\n%s", after, before)
	}
}

// TestNoFileHoldsASecret writes a run in every way there is, and reads all files.
func TestNoFileHoldsASecret(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, secretManifest())
	trial := newTrial(0)
	trial.Status, trial.Error = Failed, i18n.Verbatim("its last lines:\n  login with hunter22 failed")
	trial.Findings = []finding.Finding{{Name: "a", Detail: i18n.Verbatim("swordfish")}}
	trial.Failures = []measure.Failure{{Why: i18n.Verbatim("no hunter22"), Sent: "GET /?t=hunter22", Received: "swordfish"}}
	log := strings.Repeat("token hunter22, and b3arer\n", 10_000)
	if err := os.WriteFile(w.SubjectLog(0), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	findings := trial.Findings
	if err := w.AddTrial(trial); err != nil {
		t.Fatal(err)
	}
	if findings[0].Detail.String() != "swordfish" {
		t.Error("the caller's finding was changed")
	}
	w.HideEnv(map[string]string{"DATABASE_URL": "postgres://dyno:0pen5esame@127.0.0.1:4711/shop"})
	if err := w.AddServiceLog("db", []byte("wrong password 0pen5esame, and hunter22")); err != nil {
		t.Fatal(err)
	}
	if err := w.Update(func(m *Manifest) { m.Plan = secretManifest().Plan }); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(Failed, errors.New("no swordfish")); err != nil {
		t.Fatal(err)
	}
	all := ""
	err := filepath.WalkDir(store.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all += string(data)
		for _, secret := range secretWords {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds %q", path, secret)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"token ***1, and ***\n", "login with ***1 failed", "no ***2"} {
		if !strings.Contains(all, kept) {
			t.Errorf("no file holds %q", kept)
		}
	}
	if run, err := readWhole(store, "latest"); err != nil || len(run.Trials) != 1 {
		t.Errorf("read back: %v", err)
	}
}
