package service

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/study"
)

// long is how long a server may take to be ready at most: others keep the machine of a test busy.
const long = time.Minute

// startSet starts services that the test stops.
func startSet(t *testing.T, h *Host, defs ...study.Service) *Set {
	t.Helper()
	set, err := StartAll(t.Context(), h, defs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return set
}

// dies kills a server, waits until that is seen, and has it restarted.
func dies(t *testing.T, set *Set) {
	t.Helper()
	ended := make(chan struct{})
	set.Watch(t.Context(), func() { close(ended) })
	if err := syscall.Kill(set.Instances()[0].parts[0].in.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-t.Context().Done():
		t.Fatal("nobody has seen it")
	}
	checkError(t, set.Err(), []string{"died", "killed"})
	if err := set.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := set.Err(); err != nil {
		t.Error(err)
	}
}

// TestKafka: topics as the study has them, reset, read; a broker that is gone in the middle is
// another one for the next trial, and one that is gone at the end is no error.
func TestKafka(t *testing.T) {
	needs(t, study.Kafka)
	set := startSet(t, newTestHost(t), study.Service{
		Name: "queue", Use: study.Kafka, As: "KAFKA_BROKERS", Reset: study.ResetTrial, ReadyWithin: long, Topics: map[string]int{"orders": 3, "mails": 1},
		Settings: map[string]string{"auto.create.topics.enable": "false"}, Seed: []study.Seed{{Run: `case "$KAFKA_BROKERS" in 127.0.0.1:*) ;; *) exit 1 ;; esac`}},
	})
	partitions := func() float64 {
		t.Helper()
		var r map[string]float64
		// A topic that was just recreated may lack its leader for a moment.
		for deadline := time.Now().Add(long); r["partitions"] != 4 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			reading, err := set.Probes()[0].Read(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			r = reading.Gauges
		}
		return r["partitions"]
	}
	if n := partitions(); n != 4 {
		t.Errorf("%v partitions, want 4", n)
	}
	if v := set.Instances()[0].Version(); !strings.HasPrefix(v, "4.") {
		t.Errorf("version %q", v)
	}
	for range 2 { // the first trial, and the second
		if err := set.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := partitions(); n != 4 {
		t.Errorf("%v partitions after a reset, want 4", n)
	}
	dies(t, set)
	if n := partitions(); n != 4 {
		t.Errorf("%v partitions of a new broker, want 4", n)
	}
	if err := syscall.Kill(set.Instances()[0].parts[0].in.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// TestKafkaGone: nobody is there, by the first address that is given.
func TestKafkaGone(t *testing.T) {
	needs(t, study.Redis) // what the kit takes, and no Kafka
	_, err := Start(t.Context(), newTestHost(t), study.Service{Name: "queue", Use: study.Kafka, As: "X", URL: "kafka://127.0.0.1:1"})
	checkError(t, err, []string{"service queue: url: it is not there, or doesn't let dyno in", "connection refused"})
}

// TestEtcd: what is put is counted; each start is of an empty one.
func TestEtcd(t *testing.T) {
	needs(t, study.Etcd)
	set := startSet(t, newTestHost(t), study.Service{Name: "etcd", Use: study.Etcd, As: "ETCD_ENDPOINTS", Reset: study.ResetRestart, ReadyWithin: long})
	puts := func() float64 {
		t.Helper()
		r, err := set.Probes()[0].Read(time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		n, ok := r.Counters["etcd_mvcc_put_total"]
		if !ok {
			t.Errorf("no count of puts in %v", r.Counters)
		}
		return n
	}
	put := func() {
		t.Helper()
		response, err := http.Post(set.Env()["ETCD_ENDPOINTS"]+"/v3/kv/put", "application/json", strings.NewReader(`{"key": "YQ==", "value": "Yg=="}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatal(response.Status)
		}
	}
	before := puts()
	put()
	if after := puts(); after != before+1 {
		t.Errorf("%v puts, then %v", before, after)
	}
	for range 2 {
		if err := set.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := puts(); n > before {
		t.Errorf("%v puts in one that was restarted, %v in the first", n, before)
	}
	dies(t, set)
	put()
}

// TestS3: it has the buckets, lets nobody in without the key, and its objects go with it.
func TestS3(t *testing.T) {
	needs(t, study.S3)
	set := startSet(t, newTestHost(t), study.Service{Name: "objects", Use: study.S3, As: "AWS_ENDPOINT_URL", Buckets: []string{"one", "two"}, ReadyWithin: long})
	in := set.Instances()[0]
	env := set.Env()
	if env["AWS_SECRET_ACCESS_KEY"] == "" || env["AWS_ACCESS_KEY_ID"] == "" || env["AWS_REGION"] == "" {
		t.Error("a variable is missing")
	}
	for _, bucket := range []string{"one", "two"} {
		if _, err := os.Stat(filepath.Join(in.parts[0].in.Folder(), "data", bucket)); err != nil {
			t.Error(err)
		}
		response, err := http.Get(env["AWS_ENDPOINT_URL"] + "/" + bucket + "/secret")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("without the key it responds %s", response.Status)
		}
	}
	dies(t, set)
}

// A port that is taken is said of any kind.
func TestPortTaken(t *testing.T) {
	for _, kind := range []string{study.Etcd, study.S3} {
		t.Run(kind, func(t *testing.T) {
			needs(t, kind)
			h := newTestHost(t)
			first := startSet(t, h, study.Service{Name: "first", Use: kind, As: "FIRST", ReadyWithin: long})
			_, err := Start(t.Context(), h, study.Service{Name: "second", Use: kind, As: "SECOND", Port: first.Instances()[0].parts[0].in.Port()})
			checkError(t, err, []string{"service second", "port"})
		})
	}
}
