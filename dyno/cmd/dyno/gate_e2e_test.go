package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dyno.example/dyno/archive/s3test"
	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// serviceMain is a program that takes as long for a response as its second file
// says.
const serviceMain = `package main

import (
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		work()
		io.WriteString(w, "done")
	})))
}
`

const quickWork = "package main\n\nfunc work() {}\n"

// slowWork spends some hundred microseconds of CPU time on a response.
const slowWork = `package main

import "crypto/sha256"

var block [64 << 10]byte

func work() {
	for range 8 {
		sum := sha256.Sum256(block[:])
		copy(block[:], sum[:])
	}
}
`

// gateStudy has short trials, and takes what a busy machine makes of them.
const gateStudy = `study: service
subjects: [{name: service, dir: ../service, build: go build -o service ., run: exec ./service}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 200, arrivals: uniform, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: 3
gate: [cpu > +50%]
accept: [generator-stalled, generator-late, rate-missed, arrivals-off, lag-floor, other-load, steal, retransmits, throttled, frequency, cpu-speed, little, counts-apart, still-warming-up, drifting, never-steady, restart-plateau]
`

// gateRepository is a git repository whose first commit responds quickly, and
// whose working tree has the work given. The study is bench/gate.yaml.
func gateRepository(t *testing.T, work string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]string{
		"service/go.mod": "module service\n\ngo 1.26\n", "service/main.go": serviceMain, "service/work.go": quickWork,
		"bench/gate.yaml": gateStudy, ".gitignore": "service/service\nruns/\ncache/\n",
	}
	for name, text := range files {
		writeIn(t, dir, name, text)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "quick"}} {
		gitIn(t, dir, args...)
	}
	writeIn(t, dir, "service/work.go", work)
	return dir
}

func writeIn(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// noCheckoutLeft fails if git knows another worktree, or a temporary folder of a
// gate is there.
func noCheckoutLeft(t *testing.T, dir string) {
	t.Helper()
	if list := gitIn(t, dir, "worktree", "list"); strings.Count(list, "\n") != 1 {
		t.Errorf("worktrees are left:\n%s", list)
	}
}

func TestGateStopsASlowerVersion(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	var dir string
	var o outcome
	for range 3 { // on a busy machine a few trials may not be enough
		dir = gateRepository(t, slowWork)
		writeIn(t, dir, "summary.md", "from an earlier step\n")
		if o = gateCommand(t, dir, "bench/gate.yaml", "--against", "main", "--junit", "gate.xml", "--markdown", "summary.md"); o.code != cli.ExitCannotTell {
			break
		}
	}
	if tooBusy(o) {
		t.Skip("this machine is too busy to measure on:\n" + o.stdout + o.stderr)
	}
	o.want(t, 1, o.stdout, "old  main (", "new  the working tree (", "FAIL", "cpu > +50%", "times as high", "first run: ", "REGRESSION")
	contains(t, o.stderr, "measuring again before saying so", "dyno: regression")
	contains(t, read(t, filepath.Join(dir, "gate.xml")), `name="dyno gate"`, `failures="1"`)
	contains(t, read(t, filepath.Join(dir, "summary.md")), "from an earlier step\n", "### dyno gate: **regression**", "--seed ")
	noCheckoutLeft(t, dir)
	list := dyno(t, dir, "list")
	list.want(t, 0, list.stdout, "service-gate", "complete")
	if n := strings.Count(list.stdout, "service-gate"); n != 2*2 { // in the ID and in its column
		t.Errorf("the runs are not two:\n%s", list.stdout)
	}
}

func TestGatePassesTheSameVersion(t *testing.T) {
	dir := gateRepository(t, quickWork)
	o := gateCommand(t, dir, "bench/gate.yaml", "--against", "HEAD", "--json", "--quiet", "--seed", "7")
	if o.code != 0 && o.code != cli.ExitCannotTell {
		t.Errorf("exit code %d for the same program\n%s%s", o.code, o.stdout, o.stderr)
	}
	contains(t, o.stdout, `"mode": "against"`, `"threshold": "cpu \u003e +50%"`, `"verdict"`)
	noCheckoutLeft(t, dir)
}

// Pair by pair, a difference as large as this takes few of them.
func TestGateInPairs(t *testing.T) {
	// What samples all CPUs needs these.
	sampled := os.Geteuid() == 0 && runtime.GOOS == "linux"
	var o outcome
	for range 3 { // on a busy machine a few trials, or a few starts that were sampled, may not be enough
		dir := gateRepository(t, slowWork)
		// So much load that the quick version is sampled some 150 times in a second.
		writeIn(t, dir, "bench/gate.yaml", strings.Replace(gateStudy, "rate: 200", "rate: 1000", 1))
		o = gateCommand(t, dir, "bench/gate.yaml", "--against", "main", "--in-pairs", "--blocks", "8")
		if o.code != cli.ExitCannotTell && (!sampled || strings.Contains(o.stdout, "sha256")) {
			break
		}
	}
	if tooBusy(o) {
		t.Skip("this machine is too busy to measure on:\n" + o.stdout + o.stderr)
	}
	o.want(t, 1, o.stdout, "FAIL", "times as high", " pairs, of which one deviates by ", "first run: ", "in at most 1.1 % of runs", "REGRESSION")
	if !strings.Contains(o.stdout, "an unchanged program") && !strings.Contains(o.stdout, "too few blocks for an interval") {
		t.Errorf("nothing is said of an unchanged program:\n%s", o.stdout)
	}
	if sampled {
		if !strings.Contains(o.stdout, "sha256") && strings.Contains(o.stdout, "other-load") {
			t.Skip("this machine is too busy to tell which function grew:\n" + o.stdout)
		}
		contains(t, o.stdout, "sha256", "µs a request more")
	}
}

func TestGatePushesItsRuns(t *testing.T) {
	t.Parallel()
	bucket := s3test.Start(t).URL("gates")
	dir := gateRepository(t, quickWork)
	o := noSecret(t, gateCommand(t, dir, "bench/gate.yaml", "--against", "HEAD", "--blocks", "2", "--archive", bucket))
	contains(t, o.stderr, "pushed  ", "to s3://dyno-test/gates")
	here, there := dyno(t, dir, "list"), dyno(t, dir, "list", "--archive", bucket)
	there.want(t, 0, there.stdout, "service-gate", "complete")
	if n := strings.Count(here.stdout, "complete"); n == 0 || strings.Count(there.stdout, "complete") != n {
		t.Errorf("runs here:\n%s\nand in the bucket:\n%s", here.stdout, there.stdout)
	}
}

func TestGateWithoutItsBucket(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	bucket := server.URL("gates")
	server.Kill()
	dir := gateRepository(t, quickWork)
	o := noSecret(t, dyno(t, dir, "gate", "bench/gate.yaml", "--against", "HEAD", "--archive", bucket))
	o.want(t, cli.ExitCannotTell, o.stderr, "can't tell: listing s3://dyno-test/gates", "connection refused")
	if list := dyno(t, dir, "list"); strings.Contains(list.stdout, "service-gate") {
		t.Errorf("something was measured for a bucket that is not there:\n%s", list.stdout)
	}
}

// gateCommand runs a gate that measures, which takes a dozen trials.
func gateCommand(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	t.Cleanup(cancel)
	return startCommand(t, exec.CommandContext(ctx, dynoBinary, append([]string{"gate"}, args...)...), dir).wait(t)
}

// tooBusy reports whether a gate could not tell because of the machine.
func tooBusy(o outcome) bool {
	return o.code == cli.ExitCannotTell && (strings.Contains(o.stdout, "invalid") || strings.Contains(o.stdout, "can be used"))
}

func TestGateThatCannotBuild(t *testing.T) {
	t.Parallel()
	dir := gateRepository(t, "package main\n\nfunc work() { undefined() }\n")
	o := dyno(t, dir, "gate", "bench/gate.yaml", "--against", "main")
	o.want(t, cli.ExitCannotTell, o.stderr, "can't tell: subject service", "undefined: undefined")
	noCheckoutLeft(t, dir)
}

func TestGateWrongUsage(t *testing.T) {
	t.Parallel()
	dir := gateRepository(t, quickWork)
	writeIn(t, dir, "bad.yaml", "study: s\nsubjects: [go/gin]\ngate: [cqu > +3%]\n")
	writeIn(t, dir, "shipped.yaml", "study: s\nsubjects: [go/gin]\n")
	writeIn(t, dir, "dyno-baselines/main.yaml", "baseline: 1\nname: mian\n")
	dyno(t, dir, "baseline", "set", "good", archived(t, dir, 1, "good")).want(t, 0, "")
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{}, "at least one of the flags"},
		{[]string{"--against", "main", "--baseline", "main"}, "[against baseline]"},
		{[]string{"--in-pairs", "--baseline", "main"}, "[baseline in-pairs]"},
		{[]string{"--againts", "main"}, "did you mean --against?"},
		{[]string{"a", "b"}, "at most a study's file"},
		{[]string{"--against", "main"}, "there is no study.yaml here"},
		{[]string{"bench/gate.yaml", "--against", "nowhere"}, `git knows no commit "nowhere"`},
		{[]string{"bench/gate.yaml", "--against", "nowhere", "--quick"}, "--quick: the study has no section quick:"},
		{[]string{"20260101", "--against", "main"}, "takes no run"},
		{[]string{"bad.yaml", "--against", "main"}, `bad.yaml:3:8: gate[0]: "cqu > +3%": no metric "cqu"; did you mean cpu?`},
		{[]string{"shipped.yaml", "--against", "main"}, "no subject that is built from"},
		{[]string{"bench/gate.yaml", "--against", "main", "--fail", "cpu < -3%"}, "--fail \"cpu < -3%\": less of cpu is better"},
		{[]string{"bench/gate.yaml", "--against", "main", "--blocks", "-1"}, "--blocks"},
		{[]string{"bench/gate.yaml", "--against", "main", "--junit", "no/such/folder.xml"}, "can't be written"},
		{[]string{"bench/gate.yaml", "--baseline", "other"}, `no baseline "other"`},
		{[]string{"bench/gate.yaml", "--baseline", "main"}, `dyno-baselines/main.yaml:2: name: the file is that of "main"`},
		{[]string{"bench/gate.yaml", "--against", "main", "--lang", "de"}, "neither en nor zh"},
		{[]string{"latest", "--baseline", "good", "--archive", "s4://x"}, "--archive"},
	} {
		o := dyno(t, dir, append([]string{"gate"}, c.args...)...)
		o.want(t, cli.ExitUsage, o.stderr, c.why)
	}
	noCheckoutLeft(t, dir)
}

// A gate measures a study as dyno run does, in slices where that does, so that its figures can be held against a baseline of it.
func TestGateMeasuresAsTheBaselineWas(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 2, "good", "other: "+serverBinary+" good")
	o := dyno(t, home, "run", file, "--plan")
	o.want(t, 0, o.stdout, "; in slices")
	o = dyno(t, home, "run", file, "--keep-going")
	o.want(t, 0, o.stdout, "In 30ms slices by turns")
	dyno(t, home, "baseline", "set", "main", "latest").want(t, 0, "")
	o = dyno(t, home, "gate", file, "--baseline", "main", "--fail", "cpu > +500%", "--keep-going")
	contains(t, o.stdout, "baseline main (run ", "good under steady", "cpu > +500%")
	if strings.Contains(o.stdout, "in slices or in trials") {
		t.Errorf("it measures otherwise than dyno run:\n%s%s", o.stdout, o.stderr)
	}
}
