package readme

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// notRun are the blocks of shell commands in the README that this test can't run, by
// how they begin, and why.
var notRun = map[string]string{
	"go run ./dyno/cmd/dyno run go-frameworks": "they take half an hour, and the second runs all tests, this one among them",
	"dyno gate --against main":                 "they need a repository with two versions of a service, and runs of other days",
}

// The commands of the READMEs work when they are pasted as they stand, block by block into
// one shell: none of them may fail, but for those that judge what was measured, which
// a busy machine may decide.
func TestReadmeBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("the README's blocks take minutes")
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	port, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		t.Skip("port 8080, which the README's commands listen on, is taken on this machine")
	}
	port.Close()
	home, out := t.TempDir(), t.TempDir()
	short, err := os.MkdirTemp("", "dyno-readme-") // sockets' names are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	env := append(os.Environ(), "DYNO_HOME="+home, "DYNO_ARCHIVE=", "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+out, "TMPDIR="+short)
	env = append(env, "PATH="+os.Getenv("PATH")+":"+filepath.Join(out, "bin"))
	ran := 0
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	readmes := read(t, filepath.Join(root, "README.md")) + read(t, filepath.Join(root, "dyno/README.md")) + read(t, filepath.Join(root, "nanogate/README.md"))
	for _, block := range blocks.FindAllStringSubmatch(readmes, -1) {
		script, reason := block[1], ""
		for begins, why := range notRun {
			if strings.HasPrefix(script, begins) {
				reason = why
			}
		}
		if reason != "" {
			t.Logf("not run, as %s:\n%s", reason, script)
			continue
		}
		ran++
		dir := home // where study.yaml is written
		if strings.Contains(script, "./dyno/cmd/") {
			dir = root
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", "trap 'echo \"FAILED $? $BASH_COMMAND\" >&2' ERR\n"+script+"\nwait\n")
		cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Minute
		text, err := cmd.CombinedOutput()
		for _, failed := range regexp.MustCompile(`(?m)^FAILED (\d+) (.*)$`).FindAllStringSubmatch(string(text), -1) {
			judges := strings.Contains(failed[2], "--fail") || strings.HasPrefix(failed[2], "dyno capacity") || strings.HasPrefix(failed[2], "dyno load") || strings.HasPrefix(failed[2], "dyno run")
			ended := failed[2] == "wait" || strings.HasPrefix(failed[2], "dyno up") || strings.HasPrefix(failed[2], "nanogate run")
			if !ended && (failed[1] != "1" || !judges) {
				t.Errorf("%s: exit status %s", failed[2], failed[1])
			}
		}
		for _, never := range []string{"connection refused", "command not found", "unknown flag", "no such file"} {
			if strings.Contains(string(text), never) {
				t.Errorf("%q in what the block prints", never)
			}
		}
		if t.Failed() {
			t.Fatalf("%v\n%s\n%s", err, script, text)
		}
	}
	if ran < 3 {
		t.Errorf("%d blocks were found to run", ran)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}
