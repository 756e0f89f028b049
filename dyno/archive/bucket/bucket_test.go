package bucket

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/archive/s3test"
)

// open opens the archive of a server that runs until the test ends.
func open(t *testing.T) (*Bucket, *s3test.Server) {
	t.Helper()
	s3test.SetEnvironment(t)
	server := s3test.Start(t)
	return at(t, server.URL("team/runs")), server
}

func at(t *testing.T, url string) *Bucket {
	t.Helper()
	l, err := archive.ParseLocation(url)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// finished archives a run of one trial in the store, with a log of that many
// bytes, and returns its record.
func finished(t *testing.T, store archive.Store, started time.Time, logged int) *archive.Record {
	t.Helper()
	run := analysistest.Run(3, "a")
	run.Manifest.Started = started
	w, err := store.Create(run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.SubjectLog(0), bytes.Repeat([]byte("listening on every port there is\n"), 1+logged/32), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.AddTrial(run.Trials[0]), w.Finish(archive.Complete, nil)); err != nil {
		t.Fatal(err)
	}
	r, err := store.Record(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var day = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

func local(t *testing.T) archive.Store { return archive.Store{Dir: filepath.Join(t.TempDir(), "runs")} }

func push(t *testing.T, b *Bucket, r *archive.Record) int {
	t.Helper()
	sent, err := b.Push(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	if strings.Contains(err.Error(), s3test.Secret) {
		t.Errorf("the error shows the secret key: %v", err)
	}
}

// listed returns the entries of the archive, none of which may be damaged.
func listed(t *testing.T, b *Bucket) []archive.Entry {
	t.Helper()
	entries, err := b.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Err != nil {
			t.Errorf("%s: %v", e.ID, e.Err)
		}
	}
	return entries
}

func TestARunThereAndBack(t *testing.T) {
	b, _ := open(t)
	here, there := local(t), local(t)
	if len(listed(t, b)) != 0 {
		t.Fatal("the bucket is not empty")
	}
	old, r := finished(t, here, day, 0), finished(t, here, day.AddDate(0, 0, 1), 0)
	push(t, b, old)
	var last Progress
	sent, err := b.Push(t.Context(), r, func(p Progress) { last = p })
	if err != nil || sent != len(r.Sums)+1 || last.File != archive.SumsFile || last.Done != sent || last.Total != sent {
		t.Fatalf("sent %d of %d files, %v; last %+v", sent, len(r.Sums)+1, err, last)
	}
	if again := push(t, b, r); again != 0 {
		t.Errorf("pushed again, %d files were sent", again)
	}

	entries := listed(t, b)
	if len(entries) != 2 || entries[0].ID != r.ID || entries[0].Address != r.Address || entries[0].Trials != 1 || entries[0].Manifest.Status != archive.Complete {
		t.Errorf("listed: %+v", entries)
	}
	for _, ref := range []string{archive.Latest, r.ID, r.ID[:8], r.Name.String(), r.Address.Short(), r.Address.String()} {
		if name, err := b.Find(t.Context(), ref); err != nil || name != r.Name {
			t.Errorf("%q means %v, %v", ref, name, err)
		}
	}
	_, err = b.Find(t.Context(), "2026031")
	wantError(t, err, "begins the names of 2 runs", old.ID, r.ID)
	_, err = b.Find(t.Context(), "2027")
	wantError(t, err, `no run "2027" in s3://`, "nearest")

	dir, err := b.Pull(t.Context(), r.Name, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := there.Record(r.ID)
	if err != nil || back.Dir != dir || back.Name != r.Name {
		t.Fatalf("%+v, %v", back, err)
	}
	for file := range r.Sums {
		want, _ := os.ReadFile(r.Path(file))
		if got, err := os.ReadFile(back.Path(file)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", file, err)
		}
	}
	if again, err := b.Pull(t.Context(), r.Name, there, nil); err != nil || again != dir {
		t.Errorf("pulled again: %s, %v", again, err)
	}
	if v, err := b.Verify(t.Context(), r.Name); err != nil || len(v.Damages) != 0 || v.Files != len(r.Sums) {
		t.Errorf("%+v, %v", v, err)
	}

	if err := b.Remove(t.Context(), archive.Latest); err != nil {
		t.Fatal(err)
	}
	if entries := listed(t, b); len(entries) != 1 || entries[0].ID != old.ID {
		t.Errorf("after removing the newest: %+v", entries)
	}
}

// The server dies in the middle of a push: nothing of the run is to be seen,
// the run here is whole, and pushing again sends the rest.
func TestTheBucketGoesAwayWhileItIsWritten(t *testing.T) {
	for name, trouble := range map[string]struct {
		logged int
		die    func(t *testing.T, s *s3test.Server, p Progress)
	}{
		"after the first file": {0, func(_ *testing.T, s *s3test.Server, p Progress) {
			if p.Done == 1 {
				s.Kill()
			}
		}},
		"before the sums": {0, func(_ *testing.T, s *s3test.Server, p Progress) {
			if p.Done == p.Total-1 {
				s.Kill()
			}
		}},
		"in the middle of a file": {32 << 20, func(t *testing.T, s *s3test.Server, p Progress) {
			if p.Done == 1 {
				s.Freeze(t) // what is under way fills the kernel's buffers and stays there
				time.AfterFunc(200*time.Millisecond, s.Kill)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b, server := open(t)
			here := local(t)
			r := finished(t, here, day, trouble.logged)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := b.Push(ctx, r, func(p Progress) { trouble.die(t, server, p) })
			wantError(t, err, "pushing run "+r.ID, b.String(), "files are there", r.Dir+" is as it was")
			if _, err := here.Record(r.ID); err != nil {
				t.Errorf("the run here is damaged: %v", err)
			}

			server.Restart(t)
			if entries := listed(t, b); len(entries) != 0 {
				t.Errorf("half a run is listed: %+v", entries)
			}
			_, err = b.Find(t.Context(), archive.Latest)
			wantError(t, err, "there are no runs")
			_, err = b.Pull(t.Context(), r.Name, local(t), nil)
			wantError(t, err, "not complete")

			if sent := push(t, b, r); sent == 0 || sent > len(r.Sums) {
				t.Errorf("pushed again, %d of %d files were sent", sent, len(r.Sums)+1)
			}
			if entries := listed(t, b); len(entries) != 1 {
				t.Errorf("after the second push: %+v", entries)
			}
			if v, err := b.Verify(t.Context(), r.Name); err != nil || len(v.Damages) > 0 {
				t.Errorf("after the second push: %+v, %v", v, err)
			}
		})
	}
}

// What somebody did to the objects is found by the run's address.
func TestDamageInTheBucketIsNamed(t *testing.T) {
	const trial = "trials/0000/"
	for name, c := range map[string]struct {
		harm  func(file func(string) string) error
		parts []string
	}{
		"edited": {func(file func(string) string) error {
			return os.WriteFile(file(trial+"trial.json"), []byte("{}"), 0o644)
		}, []string{trial + "trial.json", "its SHA-256 is"}},
		"removed": {func(file func(string) string) error {
			return os.Remove(file(trial + "windows.jsonl"))
		}, []string{trial + "windows.jsonl", "was removed"}},
		"edited manifest": {func(file func(string) string) error {
			return os.WriteFile(file(archive.ManifestFile), []byte("{}"), 0o644)
		}, []string{archive.ManifestFile, "its SHA-256 is"}},
		"edited sums": {func(file func(string) string) error {
			content, err := os.ReadFile(file(archive.SumsFile))
			return errors.Join(err, os.WriteFile(file(archive.SumsFile), bytes.Replace(content, []byte("trial.json"), []byte("trial.yaml"), 1), 0o644))
		}, []string{archive.SumsFile, "not the run's address"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, server := open(t)
			r := finished(t, local(t), day, 0)
			push(t, b, r)
			if err := c.harm(func(file string) string { return server.File("team/runs/" + r.Name.String() + "/" + file) }); err != nil {
				t.Fatal(err)
			}
			there := local(t)
			_, err := b.Pull(t.Context(), r.Name, there, nil)
			wantError(t, err, c.parts...)
			if left, _ := os.ReadDir(there.Dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
			v, err := b.Verify(t.Context(), r.Name)
			if err != nil || len(v.Damages) != 1 {
				t.Fatalf("%+v, %v", v, err)
			}
			wantError(t, v.Damages[0], c.parts...)
			entries, err := b.List(t.Context())
			if err != nil || len(entries) != 1 {
				t.Fatalf("listed: %+v, %v", entries, err)
			}
			if of := strings.Contains(c.parts[0], "/"); (entries[0].Err == nil) != of { // the list reads no trials
				t.Errorf("listed with the error %v", entries[0].Err)
			}
		})
	}
}

// A push mends sums that were cut, without which the run can't be read.
func TestPushMendsTheSums(t *testing.T) {
	b, server := open(t)
	r := finished(t, local(t), day, 0)
	push(t, b, r)
	if err := os.Truncate(server.File("team/runs/"+r.Name.String()+"/"+archive.SumsFile), 100); err != nil {
		t.Fatal(err)
	}
	if sent := push(t, b, r); sent != 1 {
		t.Errorf("%d files were sent, want the sums", sent)
	}
	if v, err := b.Verify(t.Context(), r.Name); err != nil || len(v.Damages) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestVerifyNamesWhatWasAdded(t *testing.T) {
	b, server := open(t)
	r := finished(t, local(t), day, 0)
	push(t, b, r)
	for _, file := range []string{"trials/0000/more.json", "report.html"} {
		if err := os.WriteFile(server.File("team/runs/"+r.Name.String()+"/"+file), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v, err := b.Verify(t.Context(), r.Name)
	if err != nil || len(v.Damages) != 1 || len(v.Beside) != 1 || v.Beside[0] != "report.html" {
		t.Fatalf("%+v, %v", v, err)
	}
	wantError(t, v.Damages[0], "trials/0000/more.json", "was added")
}

func TestAnotherRunOfTheSameName(t *testing.T) {
	b, _ := open(t)
	here, there := local(t), local(t)
	r := finished(t, here, day, 0)
	push(t, b, r)
	twin := finished(t, there, day, 64)
	if err := os.Rename(twin.Dir, filepath.Join(there.Dir, r.ID)); err != nil {
		t.Fatal(err)
	}
	_, err := b.Pull(t.Context(), r.Name, there, nil)
	wantError(t, err, "there is a run "+r.ID, "another content", twin.Address.String(), r.Address.String())
}

func TestBucketsThatCantBeUsed(t *testing.T) {
	s3test.SetEnvironment(t)
	server := s3test.Start(t)
	r := finished(t, local(t), day, 0)
	t.Run("no such bucket", func(t *testing.T) {
		b := at(t, strings.Replace(server.URL("x"), "dyno-test", "other-test", 1))
		wantError(t, b.Reach(t.Context()), "other-test", "no such bucket")
		_, err := b.Push(t.Context(), r, nil)
		wantError(t, err, "no such bucket", "nothing was sent")
	})
	t.Run("wrong secret", func(t *testing.T) {
		t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.Secret+"-not")
		wantError(t, at(t, server.URL("x")).Reach(t.Context()), "SignatureDoesNotMatch")
	})
	t.Run("no credentials", func(t *testing.T) {
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		l, err := archive.ParseLocation(server.URL("x"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), l)
		wantError(t, err, "no credentials", "AWS_ACCESS_KEY_ID", "AWS_PROFILE")
	})
	t.Run("no region", func(t *testing.T) {
		_, err := Open(t.Context(), archive.Location{Bucket: "dyno-test"})
		wantError(t, err, "no region", "AWS_REGION")
	})
	t.Run("plain endpoint of the environment", func(t *testing.T) {
		t.Setenv("AWS_ENDPOINT_URL_S3", "http://10.0.0.1:9000")
		l := archive.Location{Bucket: "dyno-test", Region: "us-east-1"}
		_, err := Open(t.Context(), l)
		wantError(t, err, "AWS_ENDPOINT_URL", "plain HTTP", "insecure=true")
		l.Insecure = true
		if _, err := Open(t.Context(), l); err != nil {
			t.Errorf("asked for: %v", err)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		server.Kill()
		wantError(t, at(t, server.URL("x")).Reach(t.Context()), "connection refused")
	})
}

func TestEach(t *testing.T) {
	var done [20]bool
	if err := each(t.Context(), len(done), func(_ context.Context, i int) error { done[i] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	for i, ok := range done {
		if !ok {
			t.Errorf("%d was left out", i)
		}
	}
	wrong := errors.New("wrong")
	if err := each(t.Context(), 20, func(_ context.Context, i int) error {
		if i == 3 {
			return wrong
		}
		return nil
	}); err != wrong {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := each(ctx, 1, func(context.Context, int) error { t.Error("begun after the end"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
