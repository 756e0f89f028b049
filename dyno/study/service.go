package study

import "time"

// Service is something that subjects stand on: a database, a cache, a broker. Exactly one of
// Use, Run, Compose and URL says what it is, except that a URL may come with Use, which
// says what kind of service is there.
type Service struct {
	Name    string // unique among services
	Use     string // a kind that dyno starts: one of [ServiceKinds]
	Run     string // shell command; $PORT is the port to listen on, and it works in a folder of its own
	Compose string // file for docker compose; $PORT is the port to publish
	URL     string // of one that is already up; dyno starts and changes nothing

	As      string // variable of the subjects that has its address; empty for that of the kind
	Address string // of Run and Compose: the variable's value, with $PORT in it; empty for 127.0.0.1:$PORT
	Dir     string // of Run and of commands that seed: DIR in their environment; default the study file's folder
	Env     map[string]string
	Port    int // 0 for a free one
	// Ready is, of Run and Compose, the path that is polled until it responds with a status
	// below 400; empty: until the port takes connections.
	Ready       string
	ReadyWithin time.Duration // 0 for what the kind takes

	Settings map[string]string // of the server, as its configuration file has them
	Replica  *Replica          // of PostgreSQL; nil for none
	Data     string            // of PostgreSQL: a data folder, of which it gets a copy
	Topics   map[string]int    // of Kafka: partitions by topic
	Buckets  []string          // of S3

	Seed  []Seed
	Reset string // "", or before each trial: [ResetTrial] or [ResetRestart]
	CPUs  []int  // to run on; nil leaves it to the placement

	Metrics string   // of Run and Compose: path or URL of its metrics in Prometheus' format
	Figures []string // series of these that are kept
}

// What happens to a service before each trial.
const (
	ResetTrial   = "trial"   // its data are again as they were seeded
	ResetRestart = "restart" // it is started again
)

// Replica is a streaming replica of a PostgreSQL server.
type Replica struct {
	Settings map[string]string
	CPUs     []int
}

// Seed is one step of filling a service. Exactly one field is set.
type Seed struct {
	SQL      string // PostgreSQL's
	Commands string // Redis', one a line
	File     string // with either
	Run      string // shell command with the service's address in its environment
}

// Kinds of services that dyno starts.
const (
	Postgres = "postgres"
	Redis    = "redis"
	Kafka    = "kafka"
	Etcd     = "etcd"
	S3       = "s3"
)

// ServiceKinds are the kinds of services that dyno starts.
func ServiceKinds() []string { return []string{Postgres, Redis, Kafka, Etcd, S3} }

// variables are where subjects find the address of a kind.
var variables = map[string]string{
	Postgres: "DATABASE_URL", Redis: "REDIS_URL", Kafka: "KAFKA_BROKERS", Etcd: "ETCD_ENDPOINTS", S3: "AWS_ENDPOINT_URL",
}

// DefaultService is the service of a kind as dyno starts it if nothing else is said.
func DefaultService(kind string) Service {
	return Service{Name: kind, Use: kind, As: variables[kind]}
}
