package export

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/freeport"
)

// patience is how long Prometheus may take to come up.
const patience = 3 * time.Minute

// prometheus starts a Prometheus that takes remote writes, until the test ends,
// and returns its address.
func prometheus(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("there is no prometheus on this machine: scripts/test installs it")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	address := freeport.Address(t)
	cmd := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--web.enable-remote-write-receiver")
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		response, err := http.Get("http://" + address + "/-/ready")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return "http://" + address
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("prometheus is not ready: %v", err)
		}
	}
}

// query returns the value of an instant query with one series, NaN if it has none.
func query(t *testing.T, address, expression string, at time.Time) float64 {
	t.Helper()
	response, err := http.Get(address + "/api/v1/query?" + url.Values{"query": {expression}, "time": {strconv.FormatFloat(float64(at.UnixMilli())/1e3, 'f', 3, 64)}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	var got struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal(body, &got); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", expression, body, err)
	}
	if len(got.Data.Result) != 1 {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(got.Data.Result[0].Value[1].(string), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRemoteWriteToPrometheus(t *testing.T) {
	address := prometheus(t)
	now := time.Now().Add(-time.Minute) // a receiver takes what is of these days only
	s := source()
	s.Wall, s.Since = now, now.Add(-time.Second)
	p := NewPush(address+"/api/v1/write", nil, NewRemoteWrite(s))
	l := fixture()
	for i := range l.Result.Windows[:3] {
		p.Window(&l.Result.Windows[i])
	}
	if err := p.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	end := now.Add(2 * time.Second)
	for expression, want := range map[string]float64{
		`dyno_requests_sent_total{job="dyno",target="http://x/",mode="open"}`: 300,
		`dyno_requests_completed_total`:                                       290,
		`dyno_answers_total{status="204"}`:                                    3,
		`dyno_errors_total{kind="timeout"}`:                                   10,
		`dyno_errors_total{kind="reset"}`:                                     0,
		`dyno_received_bytes_total`:                                           2700,
		`dyno_in_flight`:                                                      1.5,
		`dyno_throughput`:                                                     90,
		`dyno_generator_cpus`:                                                 0.002,
		`dyno_window_validity`:                                                1,
		`dyno_quantile_seconds{clock="response",quantile="0.9"}`:              0.09,
		`dyno_quantile_at_least_seconds{clock="response",quantile="0.99"}`:    0.09,
		`dyno_response_seconds_count`:                                         300,
		`dyno_response_seconds_sum`:                                           14.085,
		`dyno_response_seconds_bucket{le="0.025"}`:                            75,
		`dyno_response_seconds_bucket{le="0.1"}`:                              290,
		`dyno_response_seconds_bucket{le="+Inf"}`:                             300,
		// Half of 300 are up to 50 ms, in the bucket from 25 ms to 50 ms.
		`histogram_quantile(0.5, dyno_response_seconds_bucket)`: 0.05,
	} {
		if got := query(t, address, expression, end); !(math.Abs(got-want) <= 0.002*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	// A quantile that is not known ends, and does not linger.
	if got := query(t, address, `dyno_quantile_seconds{clock="response",quantile="0.99"}`, end); !math.IsNaN(got) {
		t.Errorf("p99 is told as if it were known: %v", got)
	}
	if got := query(t, address, `dyno_quantile_seconds{clock="response",quantile="0.99"}`, end.Add(-time.Second)); !(math.Abs(got-0.09) < 1e-4) {
		t.Errorf("p99 of the window before is %v", got)
	}
	if got := query(t, address, `increase(dyno_requests_sent_total[2500ms])`, end); math.IsNaN(got) || got <= 0 {
		t.Errorf("rate over the counter: %v", got)
	}
}
