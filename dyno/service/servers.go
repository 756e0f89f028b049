package service

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// Servers that speak HTTP, or of which dyno knows only the port.

// etcdSeries are those of etcd's metrics that are kept.
var etcdSeries = []string{
	"etcd_mvcc_put_total", "etcd_mvcc_range_total", "etcd_mvcc_delete_total", "etcd_server_proposals_committed_total", "etcd_server_proposals_pending",
	"etcd_server_slow_apply_total", "etcd_disk_wal_fsync_duration_seconds_count", "etcd_disk_wal_fsync_duration_seconds_sum", "etcd_network_client_grpc_sent_bytes_total",
}

// startEtcd starts the server that is also the subject go/etcd.
func (in *Instance) startEtcd(ctx context.Context) error {
	m, err := in.host.Catalog.Get("go/etcd")
	if err != nil {
		return err
	}
	folder, err := in.host.build(ctx, m)
	if err != nil {
		return err
	}
	p, err := in.run(ctx, recipe{
		name: in.def.Name, shell: `TMPDIR="$PWD" exec "$SERVER/server" -port "$PORT"`, env: map[string]string{"SERVER": folder},
		check: responds("/health", http.StatusBadRequest), within: 15 * time.Second, grace: time.Second,
	})
	if err != nil {
		return err
	}
	url := local("http://", p.in.Port())
	in.version, in.env[in.def.As], p.page = m.Version, url, newMetricsPage(url+"/metrics", etcdSeries)
	return in.seed(ctx, study.Etcd, url)
}

// s3Script serves a folder; each folder in it is a bucket.
const s3Script = `set -eu
umask 077
mkdir data sidecar
for bucket in $BUCKETS; do mkdir "data/$bucket"; done
exec "$SERVER/versitygw" --port "127.0.0.1:$PORT" --quiet posix --sidecar "$PWD/sidecar" "$PWD/data"
`

func (in *Instance) startS3(ctx context.Context) error {
	folder, err := in.host.build(ctx, s3server())
	if err != nil {
		return err
	}
	key, secret := "dyno", in.newSecret()
	p, err := in.run(ctx, recipe{
		name: in.def.Name, shell: s3Script, check: responds("/", http.StatusInternalServerError), within: 15 * time.Second, grace: time.Second,
		env: map[string]string{"SERVER": folder, "BUCKETS": strings.Join(in.def.Buckets, " "), "ROOT_ACCESS_KEY": key, "ROOT_SECRET_KEY": secret},
	})
	if err != nil {
		return err
	}
	url := local("http://", p.in.Port())
	maps.Copy(in.env, map[string]string{in.def.As: url, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1"})
	return in.seed(ctx, study.S3, url)
}

// commandScript runs a command of the user's in the folder that the study says, with the
// folder that goes with it in DATA.
const commandScript = `export DATA="$PWD"
cd "$DIR" || exit 1
`

// composeScript runs a Compose file, and removes what that has created.
const composeScript = `set -u
down() { docker compose --file "$FILE" --project-name "$PROJECT" down --volumes --timeout 2 >/dev/null 2>&1; }
trap 'down; exit 0' TERM INT HUP
docker compose --file "$FILE" --project-name "$PROJECT" up &
wait $!
status=$?
down
exit $status
`

// startCommand starts a command of the user's, or what a Compose file says.
func (in *Instance) startCommand(ctx context.Context) error {
	dir, err := in.host.beside(in.def.Dir)
	if err != nil {
		return err
	}
	r := recipe{
		name: in.def.Name, shell: commandScript + in.def.Run, env: maps.Clone(in.def.Env), within: 15 * time.Second, check: connects,
	}
	if r.env == nil {
		r.env = make(map[string]string)
	}
	r.env["DIR"] = dir
	if in.def.Compose != "" {
		if _, err := exec.LookPath("docker"); err != nil {
			return i18n.Errorf("service.no-docker", "compose: there is no docker in PATH; install Docker Engine with its Compose plug-in (https://docs.docker.com/engine/install)")
		}
		if said, err := exec.CommandContext(ctx, "docker", "compose", "version").CombinedOutput(); err != nil && ctx.Err() == nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
			return i18n.Errorf("service.no-compose", "compose: this docker lacks the Compose plug-in (docker compose version: %w: %s); install it: package docker-compose-plugin of Docker's repository, docker-compose-v2 of Ubuntu (https://docs.docker.com/compose/install/linux)", err, first)
		}
		file, err := in.host.beside(in.def.Compose)
		if err != nil {
			return err
		}
		r.shell, r.within, r.grace = composeScript, time.Minute, 10*time.Second
		r.env["FILE"], r.env["PROJECT"] = file, "dyno-"+randomWord()[:12]
	}
	if in.def.Ready != "" {
		r.check = responds(in.def.Ready, http.StatusBadRequest)
	}
	p, err := in.run(ctx, r)
	if err != nil {
		return err
	}
	port := p.in.Port()
	address := local("", port)
	if in.def.Address != "" {
		address = strings.ReplaceAll(in.def.Address, "$PORT", strconv.Itoa(port))
	}
	in.env[in.def.As] = address
	if in.def.Metrics != "" {
		p.page = newMetricsPage(at(in.def.Metrics, local("http://", port)), in.def.Figures)
	}
	return in.seed(ctx, "", address)
}

// at is a path of the server at base, or a URL as it is.
func at(metrics, base string) string {
	if strings.HasPrefix(metrics, "/") {
		return strings.TrimSuffix(base, "/") + metrics
	}
	return metrics
}

// beside makes a path that starts at the study's folder absolute.
func (h *Host) beside(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.Base, path)
	}
	return filepath.Abs(path)
}

// connects checks that a port takes connections.
func connects(ctx context.Context, port int) error {
	conn, err := (&net.Dialer{Timeout: onePoll}).DialContext(ctx, "tcp", local("", port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// reached checks that something takes connections where a URL says, if it says a port, or
// has a scheme whose port is known.
func reached(ctx context.Context, text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if port == "" {
		return nil
	}
	conn, err := (&net.Dialer{Timeout: 2 * onePoll}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// responds checks that a path is responded to with a status below the limit.
func responds(path string, limit int) func(context.Context, int) error {
	return func(ctx context.Context, port int) error {
		ctx, cancel := context.WithTimeout(ctx, onePoll)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, local("http://", port)+path, nil)
		if err != nil {
			return err
		}
		transport := &http.Transport{DisableKeepAlives: true}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode >= limit {
			return fmt.Errorf("GET %s: %s", path, response.Status)
		}
		return nil
	}
}

// attach takes a service that is already up. An address that can't be reached, or a login
// that is refused, is found at once.
func (in *Instance) attach(ctx context.Context) error {
	in.env[in.def.As] = in.def.URL
	p := &Part{Name: in.def.Name}
	in.parts = append(in.parts, p)
	var err error
	switch in.def.Use {
	case study.Postgres, study.Redis, study.Kafka:
		if in.def.Use == study.Kafka {
			in.env[in.def.As] = strings.TrimPrefix(in.def.URL, "kafka://")
		}
		if p.kit, err = openKit(ctx, in.host, in.def.Use, in.def.URL); err != nil {
			return err
		}
		if err = p.kit.do(ctx, order{Do: "ready", Limit: 2 * onePoll}); err == nil {
			in.version, err = p.kit.version(ctx)
		}
	default:
		if in.def.Metrics != "" {
			p.page = newMetricsPage(at(in.def.Metrics, in.def.URL), in.def.Figures)
			_, err = p.page.read(2 * onePoll)
		} else {
			err = reached(ctx, in.def.URL)
		}
	}
	if err != nil {
		return i18n.Errorf("service.cant-be-used", "url: it is not there, or doesn't let dyno in: %w", err)
	}
	return nil
}
