package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// What a PostgreSQL of dyno's is called by.
const (
	postgresUser = "dyno"
	database     = "dyno"   // of the subjects
	seeded       = "seeded" // as it was before the first trial, where it is reset
)

// startPostgres starts a server, fills it, and then its replica, which begins with a copy
// of all that.
func (in *Instance) startPostgres(ctx context.Context) error {
	bin, err := postgresBin()
	if err != nil {
		return err
	}
	account, err := subject.Unprivileged("postgres", "nobody")
	if err != nil {
		return err
	}
	if in.def.Data != "" {
		if in.def.Data, err = in.host.beside(in.def.Data); err != nil {
			return err
		}
	}
	if err := in.checkData(ctx, bin); err != nil {
		return err
	}
	password := in.newSecret()
	address := func(port int, database string) string {
		u := url.URL{Scheme: "postgres", User: url.UserPassword(postgresUser, password), Host: local("", port), Path: database}
		return u.String() + "?sslmode=disable"
	}
	// Immediate shutdown (SIGQUIT) takes no time; nobody will want the data.
	r := recipe{
		name: in.def.Name, shell: primaryScript, runAs: account, stop: syscall.SIGQUIT, kind: study.Postgres, within: 30 * time.Second, grace: 2 * time.Second,
		address: func(port int) string { return address(port, "postgres") },
		env:     map[string]string{"PGBIN": bin, "PGPASSWORD": password, "PGUSER": postgresUser, "SETTINGS": postgresSettings(in.def.Settings), "DATA": in.def.Data},
	}
	primary, err := in.run(ctx, r)
	if err != nil {
		return err
	}
	port := primary.in.Port()
	in.env[in.def.As] = address(port, database)
	if err := in.fillPostgres(ctx, primary, address(port, database)); err != nil {
		return err
	}
	if in.version, err = primary.kit.version(ctx); err != nil || in.def.Replica == nil {
		return err
	}
	r.name, r.shell, r.cpus = in.def.Name+".replica", replicaScript, in.def.Replica.CPUs
	r.env = maps.Clone(r.env)
	r.env["PRIMARY"], r.env["SETTINGS"] = strconv.Itoa(port), postgresSettings(in.def.Replica.Settings)
	in.def.Port = 0 // which the primary has
	replica, err := in.run(ctx, r)
	if err != nil {
		return err
	}
	in.env[replicaVariable(in.def.As)] = address(replica.in.Port(), database)
	return in.catchUp(ctx)
}

// primaryScript makes a data folder, or a copy of the user's, and serves it. Reached by
// TCP only: a socket's path could be too long.
const primaryScript = `set -eu
umask 077
PATH="$PGBIN:$PATH"
if [ -n "$DATA" ]; then
	cp -R "$DATA" data
	rm -f data/postmaster.pid
else
	printf %s "$PGPASSWORD" >password
	initdb --pgdata=data --username="$PGUSER" --pwfile=password --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync --no-instructions >initdb.log 2>&1 || {
		cat initdb.log
		exit 1
	}
	rm password initdb.log
fi
printf '\n%s\n' "$SETTINGS" >>data/postgresql.conf
unset PGPASSWORD
exec postgres -D data -p "$PORT" -h 127.0.0.1 -k ''
`

// replicaScript copies a primary and follows it.
const replicaScript = `set -eu
umask 077
PATH="$PGBIN:$PATH"
pg_basebackup --pgdata=data --host=127.0.0.1 --port="$PRIMARY" --write-recovery-conf --checkpoint=fast --wal-method=stream --no-sync
printf '\n%s\n' "$SETTINGS" >>data/postgresql.conf
unset PGPASSWORD
exec postgres -D data -p "$PORT" -h 127.0.0.1 -k ''
`

// postgresSettings are lines of postgresql.conf.
func postgresSettings(settings map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, strings.ReplaceAll(settings[name], "'", "''"))
	}
	return b.String()
}

// postgresBin finds the folder of PostgreSQL's programs: Debian has them outside of PATH,
// a folder for each version, of which the newest is taken.
func postgresBin() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	var best string
	version := 0
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb"} {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			n, _ := strconv.Atoi(strings.Trim(filepath.Base(filepath.Dir(filepath.Dir(path))), "abcdefghijklmnopqrstuvwxyz-@"))
			if n > version {
				best, version = filepath.Dir(path), n
			}
		}
	}
	if best == "" {
		return "", Missing(study.Postgres)
	}
	return best, nil
}

// checkData refuses a data folder of another version, which the server would too, but
// only after it was copied.
func (in *Instance) checkData(ctx context.Context, bin string) error {
	if in.def.Data == "" {
		return nil
	}
	its, err := os.ReadFile(filepath.Join(in.def.Data, "PG_VERSION"))
	if err != nil {
		return i18n.Errorf("service.no-data-folder", "data: %s is no data folder of PostgreSQL: %w", in.def.Data, err)
	}
	said, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return err
	}
	words := strings.Fields(string(said)) // postgres (PostgreSQL) 15.18 (Debian …)
	if len(words) < 3 {
		return i18n.Errorf("service.unknown-version", "%s says no version: %s", bin, said)
	}
	major, _, _ := strings.Cut(words[2], ".")
	if version := strings.TrimSpace(string(its)); version != major {
		return i18n.Errorf("service.data-of-another-version", "data: %s is a folder of PostgreSQL %s, and what is installed is %s; install PostgreSQL %s, or migrate a copy with pg_upgrade", in.def.Data, version, major, version)
	}
	return nil
}

// fillPostgres makes the subjects' database and seeds it.
func (in *Instance) fillPostgres(ctx context.Context, p *Part, address string) error {
	if in.def.Data == "" {
		if err := p.kit.do(ctx, order{Do: "create", Args: map[string]string{"database": database}, Limit: seedLimit}); err != nil {
			return err
		}
	}
	if err := in.seed(ctx, study.Postgres, address); err != nil {
		return err
	}
	if in.def.Reset != study.ResetTrial {
		return nil
	}
	return p.kit.do(ctx, order{Do: "keep", Args: map[string]string{"database": database, "as": seeded}, Limit: seedLimit})
}

// resetPostgres makes the subjects' database as it was seeded.
func (in *Instance) resetPostgres(ctx context.Context) error {
	if err := in.parts[0].kit.do(ctx, order{Do: "reset", Args: map[string]string{"database": database, "from": seeded}, Limit: seedLimit}); err != nil {
		return err
	}
	return in.catchUp(ctx)
}

// catchUpWithin is how long a replica may take to have what its primary has.
const catchUpWithin = 30 * time.Second

// catchUp waits for the replica, if there is one.
func (in *Instance) catchUp(ctx context.Context) error {
	if len(in.parts) < 2 {
		return nil
	}
	within := catchUpWithin
	if in.def.ReadyWithin != 0 {
		within = in.def.ReadyWithin
	}
	replica := in.parts[1]
	err := replica.kit.do(ctx, order{Do: "caught-up", Args: map[string]string{"primary": in.parts[0].kit.url}, Limit: within})
	if ctx.Err() == nil && errors.As(err, new(*behindError)) {
		return i18n.Errorf("service.replica-behind", "the replica has not what its primary has after %v: %w", within, err)
	}
	return errors.Join(err, ctx.Err())
}

// behindError says that a replica lags behind; a new one would, too.
type behindError struct{ error }

func (e *behindError) Unwrap() error { return e.error }

// replicaVariable is where subjects find a replica: DATABASE_REPLICA_URL for DATABASE_URL.
func replicaVariable(variable string) string {
	if base, ok := strings.CutSuffix(variable, "_URL"); ok {
		return base + "_REPLICA_URL"
	}
	return variable + "_REPLICA"
}
