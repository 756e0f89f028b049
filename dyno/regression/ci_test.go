package regression

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// pipeline reads one of the files that are copied into repositories.
func pipeline(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile("../ci/" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// inShell has bash read a script without doing it.
func inShell(t *testing.T, name, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// The GitHub workflow can be read, its scripts are bash, nothing that somebody else wrote is
// put into one, and what runs their code can't write.
func TestGitHubWorkflow(t *testing.T) {
	var w struct {
		On   map[string]any
		Jobs map[string]struct {
			If          string
			Permissions map[string]string
			Env         map[string]string
			Steps       []struct {
				Name, Uses, Run, If string
				Env                 map[string]string
			}
		}
	}
	pipeline(t, "github/gate.yml", &w)
	if _, ok := w.On["pull_request"]; !ok || w.On["issue_comment"] == nil || len(w.Jobs) != 2 {
		t.Fatalf("%+v", w)
	}
	if gate := w.Jobs["gate"]; !strings.Contains(gate.If, "/benchmark") || !strings.Contains(gate.If, "author_association") {
		t.Errorf("who may ask for it: %s", gate.If)
	}
	whole := ""
	for name, job := range w.Jobs {
		for _, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("%s, %s: neither or both of uses and run", name, step.Name)
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("%s, %s: an expression within a script", name, step.Name)
			}
			if step.Run != "" {
				inShell(t, step.Name, step.Run)
			}
			whole += step.Run
		}
	}
	for permission, may := range w.Jobs["gate"].Permissions {
		if may != "read" {
			t.Errorf("the job that runs the pull request's code may %s %s", may, permission)
		}
	}
	for _, want := range []string{"gate \"$STUDY\" --against \"$BASE\"", "--markdown gate.md", "--junit gate.xml", "report latest --output gate.html", "<!-- dyno gate -->"} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// So can the GitLab template be.
func TestGitLabTemplate(t *testing.T) {
	var w struct {
		Gate struct {
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			Rules        []map[string]string
			AllowFailure map[string]int `yaml:"allow_failure"`
		}
	}
	pipeline(t, "gitlab/gate.gitlab-ci.yml", &w)
	script := strings.Join(append(w.Gate.BeforeScript, w.Gate.Script...), "\n")
	inShell(t, "script", script)
	for _, want := range []string{`gate "$DYNO_STUDY" --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA"`, "--junit gate.xml", "report latest --output gate.html", `exit "$code"`} {
		if !strings.Contains(script, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if w.Gate.AllowFailure["exit_codes"] != 3 || len(w.Gate.Rules) == 0 {
		t.Errorf("%+v", w.Gate)
	}
}
