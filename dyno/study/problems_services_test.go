package study

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/machine"
)

const serving = "study: s\nsubjects: [go/gin]\n"

func TestServicesProblems(t *testing.T) {
	checkProblems(t, []problemCase{
		{"unknown", serving + "services: [postgress]\n",
			`s.yaml:3:12: services[0]: "postgress" is not one of the choices (did you mean "postgres"?)`},
		{"two of one kind", serving + "services: [redis, {name: other, use: redis}]\n",
			`s.yaml:3:19: services[1]: the addresses of redis and other are both in REDIS_URL (as: another variable, of one of them)`},
		{"two of one name", serving + "services: [redis, {use: redis, as: OTHER}]\n",
			`s.yaml:3:19: services[1]: two services are called "redis" (give one of them another name: {name: …, use: …})`},
		{"no kind", serving + "services: [{name: a}]\n",
			"s.yaml:3:12: services[0]: expected exactly one of use, run, compose and url, got 0 (use: a service that dyno starts; run: a command of yours; compose: a file for docker compose; url: one that is already up)"},
		{"seed of one that is up", serving + "services: [{url: \"redis://h:1\", seed: [{run: a}]}]\n",
			"s.yaml:3:39: services[0].seed: seed doesn't go with url: dyno changes nothing about a service that is already up"},
		{"no URL", serving + "services: [{name: a, url: h}]\n",
			"s.yaml:3:27: services[0].url: expected the URL of a service, such as postgres://user:password@host:5432/database, redis://host:6379/0 or kafka://host:9092"},
		{"another kind", serving + "services: [{use: postgres, url: \"redis://h:1\"}]\n",
			"s.yaml:3:33: services[0].url: the URL is that of redis, and use says postgres"},
		{"SQL for Redis", serving + "services: [{use: redis, seed: [{sql: SELECT 1}]}]\n",
			"s.yaml:3:31: services[0].seed: sql goes with postgres only"},
		{"reset of etcd", serving + "services: [{use: etcd, reset: trial}]\n",
			"s.yaml:3:31: services[0].reset: the data of this service can't be set back while it runs (reset: restart)"},
		{"name of a setting", serving + "services: [{use: redis, settings: {\"a b\": c}}]\n",
			`s.yaml:3:36: services[0].settings.a b: "a b" can't be the name of a setting`},
		{"address", serving + "services: [{name: a, run: ./a, address: here}]\n",
			`s.yaml:3:41: services[0].address: an address has $PORT in it, as dyno chooses the port, got "here"`},
		{"password of Redis", serving + "services: [{use: redis, settings: {maxmemory: 1mb, RequirePass: a}}]\n",
			"s.yaml:3:52: services[0].settings.RequirePass: RequirePass is set by dyno (leave it out: the address that subjects get has a password made for the run)"},
		{"port of PostgreSQL", serving + "services: [{use: postgres, settings: {port: 1}}]\n",
			"s.yaml:3:39: services[0].settings.port: port is set by dyno (port: of the service says which)"},
		{"folder of a replica", serving + "services: [{use: postgres, replica: {settings: {data_directory: /x}}}]\n",
			"s.yaml:3:49: services[0].replica.settings.data_directory: data_directory is set by dyno (data: of the service names a folder of yours)"},
		{"listeners of Kafka", serving + "services: [{use: kafka, settings: {listeners: a, port: 1}}]\n",
			"s.yaml:3:36: services[0].settings.listeners: listeners is set by dyno (port: of the service says which)"},
		{"two of one port", serving + "services: [{use: redis, port: 7000}, {use: postgres, port: 7001}, {use: kafka, port: 7000}]\n",
			"s.yaml:3:86: services[2].port: service redis has port 7000 too (choose another, or leave it out: dyno finds free ones)"},
		{"topics of Redis", serving + "services: [{use: redis, topics: {a: 1}}]\n",
			"s.yaml:3:33: services[0].topics: topics goes with kafka only"},
	})
}

func TestServices(t *testing.T) {
	s, err := Parse("s.yaml", []byte(serving+`services:
  - kafka
  - {name: main-db, use: postgres, as: PG, replica: {settings: {a: 1}}, settings: {fsync: off}, seed: [{sql: SELECT 1}], reset: trial, cpus: 0-1, ready_within: 20s}
  - {name: other, url: "redis://:secret-word@h:1/0"}
  - {name: the.mock, run: ./mock, address: "x:$PORT"}
`), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Service{
		{Name: "kafka", Use: Kafka, As: "KAFKA_BROKERS"},
		{Name: "main-db", Use: Postgres, As: "PG", Replica: &Replica{Settings: map[string]string{"a": "1"}}, Settings: map[string]string{"fsync": "off"},
			Seed: []Seed{{SQL: "SELECT 1"}}, Reset: ResetTrial, CPUs: []int{0, 1}, ReadyWithin: 20 * time.Second},
		{Name: "other", Use: Redis, As: "REDIS_URL", URL: "redis://:secret-word@h:1/0"},
		{Name: "the.mock", Run: "./mock", As: "THE_MOCK_URL", Address: "x:$PORT"},
	}
	for i := range want {
		if !reflect.DeepEqual(s.Services[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", s.Services[i], want[i])
		}
	}
	if hidden := s.Secrets.Hide("it is secret-word"); hidden != "it is ***" {
		t.Errorf("the password is shown: %s", hidden)
	}
}

// TestServicePaths: they are kept as written, for whoever starts the service knows the folder
// of the study.
func TestServicePaths(t *testing.T) {
	s, err := Parse("dir/s.yaml", []byte(serving+`services:
  - {use: postgres, data: old, seed: [{file: a.sql}]}
  - {name: mine, compose: c.yaml}
`), []string{"go/gin"})
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{s.Services[0].Data, s.Services[0].Seed[0].File, s.Services[1].Compose}; !reflect.DeepEqual(got, []string{"old", "a.sql", "c.yaml"}) {
		t.Errorf("paths %q", got)
	}
}

// A CPU that the machine lacks is found when a file is read to be run, not in one that another
// machine has archived.
func TestServiceOnACPUThatIsNotThere(t *testing.T) {
	src := serving + "services: [{use: postgres, cpus: \"900\", replica: {cpus: \"0-901\"}}]\n"
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(path, shipped)
	online := machine.OnlineCPUs()
	there := cpuSetText(online)
	if read, ok := parseCPUSet(there); !ok || !slices.Equal(read, online) {
		t.Errorf("%v are written %q", online, there)
	}
	for _, want := range []string{
		"s.yaml:3:34: services[0].cpus: CPU 900 can't be used here (this machine has " + there + ")",
		"s.yaml:3:57: services[0].replica.cpus: CPU ",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
	if _, err := Parse("s.yaml", []byte(src), shipped); err != nil {
		t.Error(err)
	}
}

func TestCPUSetText(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "3": {3}, "0-1": {0, 1}, "0,2-4,8": {0, 2, 3, 4, 8}} {
		if got := cpuSetText(cpus); got != want {
			t.Errorf("%v are %q, want %q", cpus, got, want)
		}
	}
}
