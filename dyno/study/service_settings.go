package study

import (
	"maps"
	"strings"

	"dyno.example/internal/i18n"
)

// Settings that dyno itself gives to the servers it starts, with what to write instead. A study's
// come into the configuration after dyno's, or are overridden by the command line: either the server
// isn't found where it is looked for, or what the study says has no effect.
var (
	portInstead = i18n.New("study.port-instead", "port: of the service says which")
	dataInstead = i18n.New("study.data-instead", "data: of the service names a folder of yours")
	nothingElse = i18n.New("study.nothing-instead", "leave it out")
	aloneHere   = i18n.New("study.listens-here", "leave it out: it listens on 127.0.0.1 only")

	postgresOwn = map[string]i18n.Message{
		"data_directory": dataInstead, "hba_file": nothingElse, "listen_addresses": aloneHere, "port": portInstead,
		"primary_conninfo": nothingElse, "unix_socket_directories": aloneHere,
	}
	redisOwn = map[string]i18n.Message{
		"bind": aloneHere, "daemonize": nothingElse, "dir": nothingElse, "port": portInstead,
		"requirepass": i18n.New("study.password-instead", "leave it out: the address that subjects get has a password made for the run"),
	}
	kafkaOwn = map[string]i18n.Message{
		"advertised.listeners": aloneHere, "broker.id": nothingElse, "controller.listener.names": nothingElse, "controller.quorum.voters": nothingElse,
		"listener.security.protocol.map": nothingElse, "listeners": portInstead, "log.dir": nothingElse, "log.dirs": nothingElse,
		"metadata.log.dir": nothingElse, "node.id": nothingElse, "process.roles": nothingElse,
	}
)

// OwnSettings are the names, in lower case, of the settings of a kind of service that dyno itself
// gives to it, and what to do instead.
func OwnSettings(kind string) map[string]i18n.Message {
	return maps.Clone(map[string]map[string]i18n.Message{Postgres: postgresOwn, Redis: redisOwn, Kafka: kafkaOwn}[kind])
}

// checkOwnSettings refuses them, those of a replica too.
func checkOwnSettings(f map[string]scope, s *Service) {
	at := []scope{f["settings"]}
	if replica, ok := f["replica"]; ok && replica.IsMapping() {
		for _, e := range replica.entries() {
			if e.key == "settings" {
				at = append(at, e.value)
			}
		}
	}
	own := OwnSettings(s.Use)
	for _, v := range at {
		if v.in == nil || !v.IsMapping() {
			continue
		}
		for _, e := range v.entries() {
			name := e.key
			if s.Use != Kafka { // whose names are of one case
				name = strings.ToLower(name)
			}
			if instead, ok := own[name]; ok {
				e.name.Report(i18n.New("study.own-setting", "%s is set by dyno", e.key), instead)
			}
		}
	}
}
