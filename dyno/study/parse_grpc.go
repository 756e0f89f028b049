package study

import (
	"context"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/rpc"
	"dyno.example/internal/i18n"
)

// callFields are the fields of a request that is a call over gRPC: they go with grpc.
var callFields = []string{"grpc", "message", "message_file", "proto", "import_path", "descriptors", "messages", "unit", "answers", "compression", "deadline"}

// httpFields are those that a call doesn't have.
var httpFields = slices.Concat(verbs, []string{"method", "path", "body", "body_file", "cookie_jar"})

// callAt reads a call over gRPC. Name, metadata, credentials, weight and expectations
// are read as those of any request.
func callAt(at scope, f map[string]scope, r *request.Request) {
	for _, field := range httpFields {
		if v, ok := f[field]; ok {
			v.Report(i18n.New("study.grpc-has-no-field", "a call over gRPC has no %s", field), i18n.New("study.remove", "remove it"))
		}
	}
	g := &request.GRPC{Method: f["grpc"].filled("")}
	if v, ok := f["messages"]; ok {
		g.Messages = v.Integer(1, request.MostMessages)
	}
	if v, ok := f["unit"]; ok {
		g.Unit = request.Unit(v.oneOf(string(request.UnitMessage), string(request.UnitCall)))
	}
	if v, ok := f["answers"]; ok {
		g.Responses = v.Integer(1, 1_000_000)
	}
	if v, ok := f["compression"]; ok {
		g.Compression = v.oneOf("gzip")
	}
	if v, ok := f["deadline"]; ok {
		g.Deadline = v.Duration(time.Microsecond, maxTimeout)
	}
	schemaAt(f, &g.Schema)
	*r = request.NewGRPC(g, messageAt(f))
	r.Weight = 1
	at.in.calls = true
}

// schemaAt reads where messages are described.
func schemaAt(f map[string]scope, s *request.Schema) {
	if v, ok := f["proto"]; ok {
		s.Protos = v.filePaths()
	}
	if v, ok := f["import_path"]; ok {
		s.ImportDirs = v.filePaths()
	}
	if v, ok := f["descriptors"]; ok {
		s.Descriptors = v.filePath()
	}
}

// filePaths reads one name of a file or folder, or a list of them.
func (s scope) filePaths() []string {
	items := []scope{s}
	if s.Resolved().Kind == yaml.SequenceNode {
		items = s.list()
	}
	var paths []string
	for _, item := range items {
		if path := item.filePath(); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// messageAt reads the message, which stands in the study or in a file beside it.
func messageAt(f map[string]scope) string {
	text, inline := f["message"]
	file, beside := f["message_file"]
	switch {
	case inline && beside:
		file.Report(i18n.New("study.message-given-twice", "expected either message or message_file, got both"), i18n.New("yaml.remove-one-them", "remove one of them"))
	case inline:
		message, _ := text.text()
		return message
	case beside:
		return textFile(file, "message")
	}
	return ""
}

// checkCall holds a call that was read to its method, if that is described in files.
func checkCall(at scope, f map[string]scope, r *request.Request, before int) {
	if len(at.in.Problems) > before {
		return // what is wrong may be what it would stumble over
	}
	if err := rpc.Resolve(context.Background(), []request.Request{*r}, nil); err != nil {
		place := at
		for _, field := range []string{"proto", "descriptors", "grpc"} {
			if v, ok := f[field]; ok {
				place = v
				break
			}
		}
		place.Report(i18n.From(err))
		return
	}
	place := f["grpc"]
	if v, ok := f["message"]; ok && r.GRPC.Described() {
		place = v
	}
	place.check(*r)
}

// overHTTP2 gives streams to the loads of a study that calls over gRPC.
func overHTTP2(loads []Load) {
	for i := range loads {
		loads[i].Link.Streams = max(1, loads[i].Link.Streams)
	}
}
