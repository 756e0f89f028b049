//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/admin"
)

// measured is a gateway with some of everything, after a few requests, and its admin
// address.
func measured(t *testing.T) (adminAt string) {
	t.Helper()
	upstream, _ := respondingWith(t, ok)
	g, at := startLoops(t, 1, "trace: {sample: 1}\naccess-log: /dev/null\nroutes:\n"+
		"  - {name: up, match: {path: \"/up/*\"}, objective: 10s, allow: [127.0.0.0/8], limit: {rate: 10000/s}, to: users}\n"+
		"  - {name: late, match: {path: /late}, objective: 1ms, fault: {delay: {for: 5ms}}, to: users}\n"+
		"  - {name: 'a\"b\\c', match: {path: /gone}, to: \"http://127.0.0.1:1\"}\n"+
		"upstreams: {users: [\""+upstream+"\"]}\n")
	c := dial(t, at)
	for range 300 { // some of them are timed
		for _, path := range []string{"/up/a", "/none"} {
			c.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
			c.response(t, "GET")
		}
	}
	for _, path := range []string{"/late", "/gone"} {
		ask(t, at, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := admin.New(g, admin.Options{Local: true})
	go app.Serve(ln)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		app.Shutdown(ctx)
	})
	return ln.Addr().String()
}

func metricsAs(t *testing.T, address, accept string) string {
	t.Helper()
	req, err := http.NewRequest("GET", "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What promtool says of the metrics is nothing.
func TestPromtool(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip(err)
	}
	text := metricsAs(t, measured(t), "text/plain")
	cmd := exec.Command("promtool", "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.Len() > 0 {
		t.Errorf("%v\n%s\n%s", err, out.String(), text)
	}
}

// Prometheus scrapes them, with their exemplars, and the queries that the documentation has for
// scaling work. It looks for targets every five seconds, which is what this waits for.
func TestPrometheus(t *testing.T) {
	target := measured(t)
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	config := written(t, dir, "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs: [{job_name: nanogate, static_configs: [{targets: [\""+target+"\"]}]}]\n")
	address := freeport.Address(t)
	launch(t, exec.Command("prometheus", "--config.file", config, "--storage.tsdb.path", dir+"/data", "--web.listen-address", address, "--enable-feature=exemplar-storage", "--log.level=error"), address)
	response := func(path, query string) string {
		resp, err := http.Get("http://" + address + "/api/v1/" + path + "?query=" + url.QueryEscape(query) + "&start=0&end=" + fmt.Sprint(time.Now().Unix()+10))
		if err != nil {
			return err.Error() // it is starting
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	for query, want := range map[string]string{
		`nanogate_requests_total{route="up",code="2xx"}`:                                        "300",
		`nanogate_requests_total{route="unrouted",code="4xx"}`:                                  "300",
		`nanogate_failures_total{route="a\"b\\c",reason="connect-failed"}`:                      "1",
		`nanogate_objective_missed_total / nanogate_objective_requests_total`:                   "1",
		`histogram_quantile(1, nanogate_request_duration_seconds_bucket{route="up"}) < bool 20`: "1",
		`nanogate_endpoint_requests_total{upstream="users",code="2xx"}`:                         "301",
		`count(nanogate_check_duration_seconds_count{check="rate"}) or vector(1)`:               "1",
		`nanogate_upstream_endpoints{upstream="users",state="up"}`:                              "1",
		`nanogate_traces_total{result="dropped"}`:                                               "0",
	} {
		var got struct {
			Data struct {
				Result []struct {
					Metric map[string]string
					Value  [2]any
				}
			}
		}
		value := ""
		for deadline := time.Now().Add(patience); value != want && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			json.Unmarshal([]byte(response("query", query)), &got)
			for _, r := range got.Data.Result {
				if value = fmt.Sprint(r.Value[1]); r.Metric["route"] == "late" {
					break
				}
			}
		}
		if value != want {
			t.Errorf("%s: %q, want %s: %s", query, value, want, response("query", query))
		}
	}
	if got := response("query_exemplars", `nanogate_request_duration_seconds_bucket`); strings.Count(got, `"trace_id"`) < 2 {
		t.Errorf("exemplars: %s", got)
	}
}
