package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/archive/s3test"
)

// overwrite replaces the content of a file of an archived run.
func overwrite(t *testing.T, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// noSecret fails the test if a command's output shows the store's secret key.
func noSecret(t *testing.T, o outcome) outcome {
	t.Helper()
	if strings.Contains(o.stdout+o.stderr, s3test.Secret) {
		t.Errorf("the secret key is shown:\n%s%s", o.stdout, o.stderr)
	}
	return o
}

func TestTheArchiveIsABucket(t *testing.T) {
	t.Parallel()
	url := s3test.Start(t).URL("team/runs")
	here, there := t.TempDir(), t.TempDir()
	o := dyno(t, here, "list", "--archive", url)
	o.want(t, 0, o.stdout, "no runs in s3://dyno-test/team/runs", "dyno push RUN")
	o = noSecret(t, dyno(t, here, "run", studyFile(t, here, 1, "good"), "--archive", url))
	o.want(t, 0, o.stdout, "address sha256:", "report  ")
	id := onlyRun(t, here)
	contains(t, o.stderr, "pushed  "+id+" to s3://dyno-test/team/runs")
	o = dyno(t, here, "push", "latest", url)
	o.want(t, 0, o.stdout, "already")

	address := read(t, filepath.Join(here, "runs", id, "SHA256SUMS.sha256"))[:64]
	o = noSecret(t, dyno(t, there, "list", "--archive", url))
	o.want(t, 0, o.stdout, id, "faults", "complete", address[:12])
	original := dyno(t, here, "report", id, "--json")
	for _, args := range [][]string{
		{"report", "latest", "--json", "--archive", url},
		{"report", address[:9], "--json", "--archive", url},
		{"report", strings.Replace(url, "?", "/"+id+"?", 1), "--json"},
	} {
		o = noSecret(t, dyno(t, there, args...))
		o.want(t, 0, o.stderr)
		if o.stdout != original.stdout {
			t.Errorf("%q: the report differs from that of the run here", args)
		}
	}
	contains(t, original.stdout, address)
	if _, err := os.Stat(filepath.Join(there, "runs")); err == nil {
		t.Error("reading made an archive")
	}
	o = dyno(t, there, "verify", "latest", "--archive", url)
	o.want(t, 0, o.stdout, id, "sha256:"+address, "files are as they were")
	overwrite(t, there, "copies", address, id, "trials", "0000", "trial.json")
	o = dyno(t, there, "show", id, "--archive", url) // from a copy made again
	o.want(t, 0, o.stdout, "good")

	o = noSecret(t, dyno(t, there, "pull", "latest", url))
	o.want(t, 0, o.stdout, filepath.Join(there, "runs", id))
	o = dyno(t, there, "verify", "latest")
	o.want(t, 0, o.stdout, "sha256:"+address)
	o = dyno(t, there, "rm", id, "--archive", url)
	o.want(t, 0, o.stderr)
	o = dyno(t, there, "list", "--archive", url)
	o.want(t, 0, o.stdout, "no runs in")
	o = dyno(t, there, "list")
	o.want(t, 0, o.stdout, id)
}

func TestTheBucketGoesAwayDuringARun(t *testing.T) {
	t.Parallel()
	server := s3test.Start(t)
	home, url := t.TempDir(), server.URL("runs")
	s := start(t, home, "run", studyFile(t, home, 4, "good"), "--archive", url) // seconds, so that its end is not here before the bucket's
	s.comesTo(t, "the run's beginning", func() bool { return strings.Contains(s.stderr.String(), "\nrun ") })
	server.Kill()
	o := noSecret(t, s.wait(t))
	id := onlyRun(t, home)
	o.want(t, 1, o.stderr, "pushing run "+id, "connection refused", "is as it was", "dyno push "+id+" 's3://dyno-test/runs?endpoint=")
	contains(t, o.stdout, "report  ")
	o = dyno(t, home, "verify", id)
	o.want(t, 0, o.stdout, "files are as they were")

	o = noSecret(t, dyno(t, home, "run", "study.yaml", "--archive", url))
	o.want(t, 1, o.stderr, "listing s3://dyno-test/runs", "connection refused")
	onlyRun(t, home) // nothing was measured for a bucket that is not there

	server.Restart(t)
	o = dyno(t, home, "list", "--archive", url)
	o.want(t, 0, o.stdout, "no runs in")
	o = dyno(t, home, "push", id, url)
	o.want(t, 0, o.stdout, "pushed  "+id)
	o = dyno(t, home, "list", "--archive", url)
	o.want(t, 0, o.stdout, id)
}

func TestTheArchiveIsAFolder(t *testing.T) {
	t.Parallel()
	home, other := t.TempDir(), filepath.Join(t.TempDir(), "shared")
	dyno(t, home, "run", studyFile(t, home, 1, "good"), "-q", "--archive", "kept").want(t, 0, "")
	o := dyno(t, home, "list")
	o.want(t, 0, o.stdout, "no runs yet")
	o = dyno(t, home, "push", "latest", other, "--archive", "kept")
	o.want(t, 0, o.stdout, "pushed  ", other)
	o = dyno(t, home, "pull", "file://"+other+"/latest")
	o.want(t, 0, o.stdout, filepath.Join(home, "runs"))
	id := onlyRun(t, home)
	overwrite(t, home, "runs", id, "trials", "0000", "trial.json")
	if err := os.WriteFile(filepath.Join(home, "runs", id, "trials", "0000", "note.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o = dyno(t, home, "verify", "latest", "file://"+other+"/"+id)
	o.want(t, 1, o.stdout, "DAMAGED", filepath.Join(id, "trials", "0000", "trial.json"), "its SHA-256 is", filepath.Join("0000", "note.txt"), "was added", "files are as they were")
	contains(t, o.stderr, "1 of 2 runs")
	for _, command := range []string{"report", "show"} {
		o = dyno(t, home, command, "latest")
		o.want(t, 1, o.stderr, "trial.json", "its SHA-256 is")
	}
	o = dyno(t, home, "push", "latest", other)
	o.want(t, 1, o.stderr, "trial.json", "was changed")
}

func TestArchivesThatAreRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{"list", "--archive", "gs://lab/runs"}, 2, "--archive: \"gs\" is not a scheme"},
		{[]string{"list", "--archive", "s3://ann:s3cr3t@lab/runs"}, 2, "credentials come from the environment"},
		{[]string{"list", "--archive", "s3://lab?secret_key=s3cr3t"}, 2, "is not a parameter"},
		{[]string{"run", "go-frameworks", "-q", "--archive", "s3://ann:s3cr3t@lab/runs"}, 2, "credentials come from"},
		{[]string{"report", "s3://ann:s3cr3t@lab/latest"}, 2, "credentials come from"},
		{[]string{"pull", "s3://lab/latest", "s3://lab"}, 2, "give no other archive"},
		{[]string{"push", "latest"}, 2, "no other archive named"},
		{[]string{"push", "latest", "s3://ann:s3cr3t@lab/runs"}, 2, "credentials come from"},
		{[]string{"push"}, 2, "a run's ID"},
		{[]string{"verify"}, 2, "the IDs of runs"},
		{[]string{"verify", "latest"}, 1, "there are no runs"},
	} {
		o := dyno(t, home, c.args...)
		o.want(t, c.code, o.stderr, c.why)
		if strings.Contains(o.stdout+o.stderr, "s3cr3t") {
			t.Errorf("%q: a secret is shown: %s%s", c.args, o.stdout, o.stderr)
		}
	}
}
