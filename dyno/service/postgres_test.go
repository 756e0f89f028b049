package service

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// TestPostgres takes a server with a replica through a run: seeded, written to, reset.
func TestPostgres(t *testing.T) {
	needs(t, study.Postgres)
	h := newTestHost(t)
	def := study.Service{
		Name: "db", Use: study.Postgres, As: "DATABASE_URL", Reset: study.ResetTrial, Replica: &study.Replica{},
		Settings: map[string]string{"max_connections": "37", "cluster_name": "it's dyno's"},
		Seed:     []study.Seed{{SQL: "CREATE TABLE t (n int); INSERT INTO t SELECT generate_series(1, 10)"}, {Run: `test -n "$DATABASE_URL"`}},
	}
	set, err := StartAll(t.Context(), h, []study.Service{def})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := set.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	env := set.Env()
	primary, replica := own(t, h, study.Postgres, env["DATABASE_URL"]), own(t, h, study.Postgres, env["DATABASE_REPLICA_URL"])
	rows := func(k *kit, want string) {
		t.Helper()
		// An error is the only way a statement tells something here.
		err := k.do(t.Context(), order{Do: "run", Text: "DO $$ BEGIN IF (SELECT count(*) FROM t) <> " + want + " THEN RAISE EXCEPTION 'rows: %', (SELECT count(*) FROM t); END IF; END $$", Limit: time.Minute})
		if err != nil {
			t.Error(err)
		}
	}
	must := func(k *kit, sql string) {
		t.Helper()
		if err := k.do(t.Context(), order{Do: "run", Text: sql, Limit: time.Minute}); err != nil {
			t.Error(err)
		}
	}
	rows(primary, "10")
	rows(replica, "10")
	must(primary, "DO $$ BEGIN IF current_setting('max_connections') <> '37' OR current_setting('cluster_name') <> 'it''s dyno''s' THEN RAISE EXCEPTION 'settings'; END IF; END $$")
	if err := set.Prepare(t.Context()); err != nil { // the first trial: nothing to reset
		t.Fatal(err)
	}
	must(primary, "INSERT INTO t SELECT generate_series(1, 5)")
	rows(primary, "15")
	before := read(t, set, 0)
	must(primary, "INSERT INTO t VALUES (1)")
	time.Sleep(1100 * time.Millisecond) // backends report once a second
	must(primary, "SELECT 1")
	if after := read(t, set, 0); after["commits"] <= before["commits"] || after["wal_bytes"] <= before["wal_bytes"] {
		t.Errorf("commits %v then %v, wal_bytes %v then %v, want more", before["commits"], after["commits"], before["wal_bytes"], after["wal_bytes"])
	}
	if err := set.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows(own(t, h, study.Postgres, env["DATABASE_URL"]), "10")
	rows(own(t, h, study.Postgres, env["DATABASE_REPLICA_URL"]), "10")
	if v := set.Instances()[0].Version(); v == "" {
		t.Error("no version")
	}
}

// read reads the counters of a part.
func read(t *testing.T, set *Set, part int) map[string]float64 {
	t.Helper()
	r, err := set.Probes()[part].Read(5 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return r.Counters
}

// TestPostgresFaults: each says what is wrong, and leaves nothing behind.
func TestPostgresFaults(t *testing.T) {
	needs(t, study.Postgres)
	h := newTestHost(t)
	running := start(t, h, study.Service{Name: "db", Use: study.Postgres, As: "URL"})
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "PG_VERSION"), []byte("9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	port := running.parts[0].in.Port()
	for _, c := range []struct {
		name string
		def  study.Service
		want []string
	}{
		{"a port that is taken", study.Service{Use: study.Postgres, Port: port}, []string{"service bad", "port", "address already in use"}},
		{"a setting that there isn't", study.Service{Use: study.Postgres, Settings: map[string]string{"no_such": "1"}}, []string{"exited before it was ready", `unrecognized configuration parameter "no_such"`}},
		{"wrong SQL", study.Service{Use: study.Postgres, Seed: []study.Seed{{SQL: "SELECT 1"}, {SQL: "CREATE TABLE"}}}, []string{"seed 2", "syntax error"}},
		{"a seed that fails", study.Service{Use: study.Postgres, Seed: []study.Seed{{Run: "echo oh dear; exit 3"}}}, []string{"seed 1", "exit status 3", "oh dear"}},
		{"a folder of another version", study.Service{Use: study.Postgres, Data: old}, []string{"is a folder of PostgreSQL 9, and what is installed is 1"}},
		{"no data folder", study.Service{Use: study.Postgres, Data: "testdata"}, []string{"is no data folder of PostgreSQL"}},
		{"a wrong password", study.Service{Use: study.Postgres, URL: local("postgres://dyno:wrong@", port) + "/postgres"}, []string{"url: it is not there, or doesn't let dyno in", "password authentication failed"}},
		{"nobody there", study.Service{Use: study.Postgres, URL: "postgres://dyno@127.0.0.1:1/postgres"}, []string{"url:", "connection refused"}},
		{"a replica that never catches up", study.Service{Use: study.Postgres, Reset: study.ResetTrial, Replica: &study.Replica{Settings: map[string]string{"recovery_min_apply_delay": "1h"}}}, []string{"the replica has not what its primary has after 8s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.def.Name, c.def.As = "bad", "BAD"
			set, err := StartAll(t.Context(), h, []study.Service{c.def})
			if err == nil && c.def.Replica != nil { // it has what it was copied with: now there is more
				in := set.Instances()[0]
				in.def.ReadyWithin = 8 * time.Second // not before: on a busy machine its start takes longer
				if err := own(t, h, study.Postgres, in.env["BAD"]).do(t.Context(), order{Do: "run", Text: "CREATE TABLE later (n int)", Limit: time.Minute}); err != nil {
					t.Fatal(err)
				}
				err = in.reset(t.Context())
				if stop := set.Stop(context.Background()); stop != nil {
					t.Error(stop)
				}
				checkError(t, err, c.want)
				return
			}
			if err == nil {
				set.Stop(context.Background())
			}
			checkError(t, err, c.want)
		})
	}
}

func checkError(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, words := range want {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("got %v\nwant it to say %q", err, words)
		}
	}
}

// TestPostgresThatEnds: a server that ends by itself is seen at once, and the next trial has
// a new one.
func TestPostgresThatEnds(t *testing.T) {
	needs(t, study.Postgres)
	set, err := StartAll(t.Context(), newTestHost(t), []study.Service{{Name: "db", Use: study.Postgres, As: "URL", Seed: []study.Seed{{SQL: "CREATE TABLE t (n int)"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { set.Stop(context.Background()) }()
	ended := make(chan struct{})
	set.Watch(t.Context(), func() { close(ended) })
	p, err := os.FindProcess(set.Instances()[0].parts[0].in.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("nobody has seen it")
	}
	checkError(t, set.Err(), []string{"service db died", "killed"})
	if err := set.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := set.Err(); err != nil {
		t.Error(err)
	}
	k := own(t, set.host, study.Postgres, set.Env()["URL"])
	if err := k.do(t.Context(), order{Do: "run", Text: "INSERT INTO t VALUES (1)", Limit: time.Minute}); err != nil {
		t.Error("not seeded again:", err)
	}
}

// TestKilled: a dyno that is killed leaves no server running and no folder behind.
func TestKilled(t *testing.T) {
	for _, kind := range study.ServiceKinds() {
		t.Run(kind, func(t *testing.T) {
			needs(t, kind)
			dir, err := os.MkdirTemp("", "killed-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			for _, one := range []string{dir, filepath.Join(dir, "temp")} {
				if err := os.MkdirAll(one, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(one, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := command("TEST_SERVE="+dir, "TEST_KIND="+kind, "TEST_CACHE="+cache)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			word := make([]byte, 5)
			if _, err := out.Read(word); err != nil || string(word) != "ready" {
				t.Fatal(string(word), err)
			}
			if made, _ := filepath.Glob(filepath.Join(dir, "temp", "*")); len(made) == 0 {
				t.Error("it has made no folder")
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
				left, _ := filepath.Glob(filepath.Join(dir, "temp", "*"))
				journal, _ := filepath.Glob(filepath.Join(dir, "state", "subjects", "*"))
				if len(left)+len(journal) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("left behind: %v %v", left, journal)
				}
			}
			if ended, err := subject.Sweep(t.Context(), filepath.Join(dir, "state")); len(ended) > 0 || err != nil {
				t.Errorf("the next sweep found %v, %v", ended, err)
			}
		})
	}
}
