package study

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
)

// Limits of services.
const (
	maxServices      = 16
	maxServiceReady  = time.Minute
	maxPartitions    = 1000
	serviceAddressIn = "$PORT"
)

// servicesAt reads what the subjects stand on.
func servicesAt(at scope) []Service {
	var services []Service
	for _, item := range at.list() {
		s, ok := serviceAt(item, services)
		if !ok {
			continue
		}
		for _, other := range services {
			if other.Name == s.Name {
				item.Report(i18n.New("study.service-named-twice", "two services are called %s", form.Quote(s.Name)), i18n.New("study.rename-service", "give one of them another name: {name: …, use: …}"))
			} else if other.As == s.As {
				item.Report(i18n.New("study.two-services-same-variable", "the addresses of %s and %s are both in %s", other.Name, s.Name, s.As), i18n.New("study.as-another-variable", "as: another variable, of one of them"))
			}
		}
		services = append(services, s)
	}
	if len(services) > maxServices {
		at.Report(i18n.New("study.too-many-services", "expected at most %d services, got %d", maxServices, len(services)))
	}
	return services
}

// serviceAt reads the name of a kind, or a mapping, of a service among others.
func serviceAt(at scope, others []Service) (Service, bool) {
	if !at.IsMapping() {
		kind := at.oneOf(ServiceKinds()...)
		return DefaultService(kind), kind != ""
	}
	before := len(at.in.Problems)
	f, understood := at.fields("name", "use", "run", "compose", "url", "as", "address", "dir", "env", "port", "ready", "ready_within",
		"settings", "replica", "data", "topics", "buckets", "seed", "reset", "cpus", "metrics", "figures")
	s := Service{Run: commandAt(f, "run")}
	if v, ok := f["use"]; ok {
		s.Use = v.oneOf(ServiceKinds()...)
	}
	if v, ok := f["compose"]; ok {
		s.Compose = v.filled("")
	}
	if v, ok := f["url"]; ok {
		s.URL = v.serviceURL(&s)
	}
	howStarted(f, &s)
	whatsInIt(f, &s)
	s.Name = s.Use
	if v, ok := f["name"]; ok {
		s.Name = v.name()
	} else if s.Name == "" && understood {
		at.Report(i18n.New("study.service-without-name", "the service has no name"), i18n.New("study.add-field", "add: %s: %s", "name", "mine"))
	}
	if s.As == "" {
		s.As = variables[s.Use]
	}
	if s.As == "" {
		s.As = strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(s.Name)) + "_URL"
	}
	if understood {
		checkService(at, f, &s)
	}
	checkOwnSettings(f, &s)
	checkPorts(f, &s, others)
	if at.in.onDisk {
		checkServicePlaces(f, &s, filepath.Dir(at.in.Path))
		checkServiceCPUs(f)
	}
	return s, len(at.in.Problems) == before
}

// howStarted reads the fields about starting a service.
func howStarted(f map[string]scope, s *Service) {
	if v, ok := f["as"]; ok {
		s.As = v.filled("")
		checkVariable(v, s.As)
	}
	if v, ok := f["address"]; ok {
		if s.Address = v.filled(""); !strings.Contains(s.Address, serviceAddressIn) {
			v.Report(i18n.New("study.address-without-port", "an address has $PORT in it, as dyno chooses the port, got %s", v.Describe()))
		}
	}
	if v, ok := f["dir"]; ok {
		s.Dir = v.filled("")
	}
	if v, ok := f["env"]; ok {
		s.Env = envAt(v)
	}
	if v, ok := f["port"]; ok {
		s.Port = v.Integer(1, 65535)
	}
	if v, ok := f["ready"]; ok {
		s.Ready = v.requestPath()
	}
	if v, ok := f["ready_within"]; ok {
		s.ReadyWithin = v.Duration(time.Second, maxServiceReady)
	}
	if v, ok := f["cpus"]; ok {
		s.CPUs = v.cpuSet()
	}
	if v, ok := f["metrics"]; ok {
		s.Metrics = v.metricsURL()
	}
	if v, ok := f["figures"]; ok {
		for _, item := range v.list() {
			s.Figures = append(s.Figures, item.filled(""))
		}
	}
}

// whatsInIt reads the fields about settings and data of a service.
func whatsInIt(f map[string]scope, s *Service) {
	if v, ok := f["settings"]; ok {
		s.Settings = settingsAt(v)
	}
	if v, ok := f["replica"]; ok {
		s.Replica = replicaAt(v)
	}
	if v, ok := f["data"]; ok {
		s.Data = v.filled("")
	}
	if v, ok := f["topics"]; ok {
		s.Topics = make(map[string]int)
		for _, e := range v.entries() {
			if !isName(e.key) {
				e.name.Report(e.name.notName())
			}
			s.Topics[e.key] = e.value.Integer(1, maxPartitions)
		}
	}
	if v, ok := f["buckets"]; ok {
		for _, item := range v.list() {
			s.Buckets = append(s.Buckets, item.name())
		}
	}
	if v, ok := f["seed"]; ok {
		for _, item := range v.list() {
			s.Seed = append(s.Seed, seedAt(item))
		}
	}
	if v, ok := f["reset"]; ok {
		if s.Reset = v.oneOf("never", ResetTrial, ResetRestart); s.Reset == "never" {
			s.Reset = ""
		}
	}
}

// settingsAt reads settings of a server.
func settingsAt(at scope) map[string]string {
	settings := make(map[string]string)
	for _, e := range at.entries() {
		if e.key == "" || strings.Trim(e.key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
			e.name.Report(i18n.New("study.bad-setting-name", "%s can't be the name of a setting", form.Quote(e.key)))
		}
		settings[e.key], _ = e.value.printable("")
	}
	return settings
}

// replicaAt reads true, or the replica's own fields.
func replicaAt(at scope) *Replica {
	if !at.IsMapping() {
		if !at.Boolean() {
			return nil
		}
		return &Replica{}
	}
	f, _ := at.fields("settings", "cpus")
	r := &Replica{}
	if v, ok := f["settings"]; ok {
		r.Settings = settingsAt(v)
	}
	if v, ok := f["cpus"]; ok {
		r.CPUs = v.cpuSet()
	}
	return r
}

func seedAt(at scope) (s Seed) {
	f, understood := at.fields("sql", "commands", "file", "run")
	s.SQL, s.Commands, s.Run = commandAt(f, "sql"), commandAt(f, "commands"), commandAt(f, "run")
	if v, ok := f["file"]; ok {
		s.File = v.filled("")
	}
	if understood && len(f) != 1 {
		at.Report(i18n.New("study.expected-one-of-seeds", "expected exactly one of sql, commands, file and run, got %d", len(f)))
	}
	return s
}

// serviceURL reads where a service is that is already up, and sees from it what kind it is.
func (s scope) serviceURL(of *Service) string {
	text := s.filled("")
	u, err := url.Parse(text)
	if text != "" && (err != nil || u.Scheme == "" || u.Host == "") {
		s.Report(i18n.New("study.expected-service-url", "expected the URL of a service, such as postgres://user:password@host:5432/database, redis://host:6379/0 or kafka://host:9092"))
		return ""
	}
	if text == "" {
		return ""
	}
	kinds := map[string]string{"postgres": Postgres, "postgresql": Postgres, "redis": Redis, "rediss": Redis, "kafka": Kafka}
	if kind := kinds[u.Scheme]; of.Use == "" {
		of.Use = kind
	} else if kind != "" && kind != of.Use {
		s.Report(i18n.New("study.url-of-another-kind", "the URL is that of %s, and use says %s", kind, of.Use))
	}
	return text
}

// goesWith are the kinds of services that fields of one kind go with.
var goesWith = map[string][]string{
	"replica": {Postgres}, "data": {Postgres}, "topics": {Kafka}, "buckets": {S3}, "settings": {Postgres, Redis, Kafka},
}

// checkService holds the fields against each other.
func checkService(at scope, f map[string]scope, s *Service) {
	kinds := 0
	for _, kind := range []string{"use", "run", "compose", "url"} {
		if _, ok := f[kind]; ok && !(kind == "use" && s.URL != "") {
			kinds++
		}
	}
	if kinds != 1 {
		at.Report(i18n.New("study.expected-service-kind", "expected exactly one of use, run, compose and url, got %d", kinds), i18n.New("study.kinds-of-services", "use: a service that dyno starts; run: a command of yours; compose: a file for docker compose; url: one that is already up"))
		return
	}
	up := s.URL != ""
	for _, field := range []string{"env", "port", "seed", "reset", "cpus", "settings", "replica", "data", "topics", "buckets", "ready", "ready_within"} {
		if v, ok := f[field]; ok && up {
			v.Report(i18n.New("study.field-with-url", "%s doesn't go with url: dyno changes nothing about a service that is already up", field))
		}
	}
	started := s.Run != "" || s.Compose != ""
	for _, field := range []string{"address", "ready", "metrics", "figures"} {
		if v, ok := f[field]; ok && !started && !up {
			v.Report(i18n.New("study.needs-run-or-compose", "%s goes with run and compose only", field))
		}
	}
	for field, kinds := range goesWith {
		if v, ok := f[field]; ok && !up && !slices.Contains(kinds, s.Use) {
			v.Report(i18n.New("study.goes-with-kinds", "%s goes with %s only", field, i18n.Names(kinds...)))
		}
	}
	checkSeeds(f, s)
	if v, ok := f["reset"]; ok && s.Reset == ResetTrial && !slices.Contains([]string{Postgres, Redis, Kafka}, s.Use) {
		v.Report(i18n.New("study.reset-of-others", "the data of this service can't be set back while it runs"), i18n.Verbatim("reset: restart"))
	}
}

// checkPorts looks for another service with the same port.
func checkPorts(f map[string]scope, s *Service, others []Service) {
	for i := range others {
		if s.Port != 0 && others[i].Port == s.Port {
			f["port"].Report(i18n.New("study.two-services-one-port", "service %s has port %d too", others[i].Name, s.Port), i18n.New("study.leave-port", "choose another, or leave it out: dyno finds free ones"))
		}
	}
}

// checkServiceCPUs looks whether the machine has the CPUs that services are to run on.
func checkServiceCPUs(f map[string]scope) {
	at := []scope{f["cpus"]}
	if replica, ok := f["replica"]; ok && replica.IsMapping() {
		for _, e := range replica.entries() {
			if e.key == "cpus" {
				at = append(at, e.value)
			}
		}
	}
	online := machine.OnlineCPUs()
	for _, v := range at {
		if v.in == nil {
			continue
		}
		text, _ := v.Scalar()
		cpus, _ := parseCPUSet(text) // that it is none is said already
		for _, cpu := range cpus {
			if !slices.Contains(online, cpu) {
				v.Report(i18n.New("study.no-such-cpu", "CPU %d can't be used here", cpu), i18n.New("study.cpus-there-are", "this machine has %s", cpuSetText(online)))
				break
			}
		}
	}
}

// checkServicePlaces looks for the files that a service names, in the study's folder base.
func checkServicePlaces(f map[string]scope, s *Service, base string) {
	if s.Run != "" || s.Dir != "" {
		checkPlaces(f, &Subject{Run: s.Run, Dir: s.Dir}, base)
	}
	missing := func(at scope, path string) {
		if path == "" {
			return
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		if _, err := os.Stat(path); err != nil {
			at.Report(i18n.New("study.file-missing", "there is no %s", form.Quote(path)), i18n.New("study.paths-relative", "paths are relative to the study file"))
		}
	}
	missing(f["compose"], s.Compose)
	missing(f["data"], s.Data)
	for i := range s.Seed {
		missing(f["seed"], s.Seed[i].File)
	}
}

func checkSeeds(f map[string]scope, s *Service) {
	for i := range s.Seed {
		seed := &s.Seed[i]
		switch at := f["seed"]; {
		case seed.SQL != "" && s.Use != Postgres:
			at.Report(i18n.New("study.goes-with-kinds", "%s goes with %s only", "sql", Postgres))
		case seed.Commands != "" && s.Use != Redis:
			at.Report(i18n.New("study.goes-with-kinds", "%s goes with %s only", "commands", Redis))
		case seed.File != "" && s.Use != Postgres && s.Use != Redis:
			at.Report(i18n.New("study.goes-with-kinds", "%s goes with %s only", "file", Postgres+", "+Redis))
		}
	}
}
