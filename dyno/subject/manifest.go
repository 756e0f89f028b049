package subject

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dyno.example/dyno/load/request"
	"dyno.example/dyno/subject/contract"
)

// Role says how a subject may be read in a ranking.
type Role string

const (
	Production Role = "production" // as the framework's own community deploys it
	Tuned      Role = "tuned"      // with settings or code most users would not choose
	Engine     Role = "engine"     // a bare event loop or parser, not a framework
)

// WarmupSteady says that a subject gets faster as it runs, so that a warm-up is over
// when it is steady and not after a fixed time.
const WarmupSteady = "steady"

// Manifest describes a subject that ships with dyno: subject.yaml in its
// folder.
type Manifest struct {
	Name      string // folder below the catalog's root: "go/gin"
	Language  string
	Framework string
	Version   string // of the framework
	// Dated is the year in which Version came out, of one that is as old as what a
	// distribution has: it stands next to the version wherever that is shown. Empty for
	// one that a registry has in its present version.
	Dated string
	// Own says that it is a product of dyno's own project, which stands for no language.
	Own    bool
	Role   Role
	Build  Recipe
	Run    string // command; $OUT and $PORT are replaced; no shell
	Ready  string // path polled until it responds; "grpc" for health over gRPC
	Routes string // file with the routes to verify, relative to the catalog's root; calls of one that speaks gRPC
	// Probe is how its runtime reports its collections: "go" for Go's helper, "helper" for
	// that of another language, "gc-log" for a JVM's log or V8's; empty if it doesn't.
	Probe string
	TLS   bool // it listens with TLS where DYNO_TLS_CERT and DYNO_TLS_KEY name files
	// Protocols are what it speaks, by their ALPN names: "http/1.1" and "h2", and
	// "grpc". HTTP/2, and gRPC on it, it speaks without TLS by prior knowledge and, if
	// it listens with TLS, by ALPN.
	Protocols []string
	// Upstream is the subject that is started before this one, a gateway, and that it
	// sends requests on to; empty for none. See [StartSpec.Upstream].
	Upstream string
	// Services are the kinds of services that it stands on, such as "postgres"; their
	// addresses are in its environment.
	Services []string
	Needs    []Need
	Env      map[string]string // added to the environment of build and run
	CPUs     string            // how it uses every CPU it is given, in words
	// Warmup is [WarmupSteady] of a runtime that compiles as it runs, which gets faster
	// under load; else empty.
	Warmup string
	// ReadyWithin is how long it may take until it is ready; 0 for what others get.
	ReadyWithin time.Duration
	Remarks     string
}

// VersionText is the version as it is shown: "2.2 (2018)" if it is dated.
func (m *Manifest) VersionText() string {
	if m.Dated == "" {
		return m.Version
	}
	return m.Version + " (" + m.Dated + ")"
}

// Recipe is how an output folder is made from inputs.
type Recipe struct {
	Command string   // executed by sh in the subject's folder, $OUT is the output folder
	Inputs  []string // folders whose content decides whether to build again, relative to the catalog's root
	Disk    uint64   // bytes it takes about, with what is downloaded for it; 0 if that is little
}

// Need is a tool that must be installed before a subject can be built.
type Need struct {
	Command string // looked up in PATH
	Check   string // prints the version; run by sh
	Min     string // lowest version that will do, such as "1.26"; empty means any
	Install string // advice for a user that lacks it
	// Debian names the packages that bring it on Debian and what derives from it.
	Debian []string
}

// ParseManifest reads the subject.yaml of the catalog's folder dir; file is
// its name in messages. Every mistake is reported, each as a [*FileError];
// unknown fields are mistakes.
func ParseManifest(file, dir string, data []byte) (Manifest, error) {
	r := &reader{file: file}
	var m Manifest
	root := r.parse(data)
	if root == nil {
		return m, r.err()
	}
	role, secure, own := string(m.Role), "", ""
	r.object(root, "",
		field{"name", true, r.subjectName(&m.Name, dir)},
		field{"language", true, r.text(&m.Language)},
		field{"framework", true, r.text(&m.Framework)},
		field{"version", true, r.text(&m.Version)},
		field{"dated", false, r.year(&m.Dated)},
		field{"own", false, r.oneOf(&own, "true", "false")},
		field{"role", true, r.oneOf(&role, string(Production), string(Tuned), string(Engine))},
		field{"build", true, r.recipe(&m.Build, dir)},
		field{"run", true, r.command(&m.Run)},
		field{"ready", true, r.readiness(&m.Ready)},
		field{"routes", true, r.within(&m.Routes, dir)},
		field{"probe", false, r.oneOf(&m.Probe, "go", "helper", "gc-log")},
		field{"tls", false, r.oneOf(&secure, "true", "false")},
		field{"protocols", false, r.protocols(&m.Protocols)},
		field{"upstream", false, r.text(&m.Upstream)},
		field{"services", false, r.services(&m.Services)},
		field{"needs", false, r.needs(&m.Needs)},
		field{"env", false, r.environment(&m.Env)},
		field{"cpus", false, r.text(&m.CPUs)},
		field{"warmup", false, r.oneOf(&m.Warmup, WarmupSteady)},
		field{"ready_within", false, r.readyTime(&m.ReadyWithin)},
		field{"remarks", false, r.text(&m.Remarks)},
	)
	m.Role, m.TLS, m.Own = Role(role), secure == "true", own == "true"
	if m.Protocols == nil {
		m.Protocols = []string{request.HTTP1}
	}
	return m, r.err()
}

func (r *reader) subjectName(dst *string, dir string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && s != dir {
			r.fail(n, p, "%q must be the name of its folder, %q", s, dir)
		}
		*dst = s
	}
}

// Speaks reports whether the subject speaks a protocol, by its ALPN name.
func (m *Manifest) Speaks(protocol string) bool {
	return slices.Contains(m.Protocols, protocol) || protocol == request.HTTP2 && m.GRPC()
}

// GRPC reports whether the subject's contract is one of gRPC calls.
func (m *Manifest) GRPC() bool { return slices.Contains(m.Protocols, contract.GRPC) }

func (r *reader) services(dst *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.items(n, p, func(item *yaml.Node, p string) {
			var name string
			r.oneOf(&name, "postgres", "redis", "kafka", "etcd", "s3")(item, p)
			*dst = append(*dst, name)
		})
	}
}

func (r *reader) protocols(dst *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.items(n, p, func(item *yaml.Node, p string) {
			var name string
			r.oneOf(&name, request.HTTP1, request.HTTP2, contract.GRPC)(item, p)
			if slices.Contains(*dst, name) {
				r.fail(item, p, "%q is there twice", name)
			}
			*dst = append(*dst, name)
		})
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.fail(n, p, "must name at least one protocol, such as %q", request.HTTP1)
		}
	}
}

func (r *reader) recipe(dst *Recipe, dir string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.object(n, p,
			field{"command", true, r.text(&dst.Command)},
			field{"inputs", true, func(n *yaml.Node, p string) {
				r.items(n, p, func(item *yaml.Node, p string) {
					var in string
					r.within(&in, dir)(item, p)
					dst.Inputs = append(dst.Inputs, in)
				})
				if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
					r.fail(n, p, "must name at least one folder, such as %q", ".")
				}
			}},
			field{"disk", false, r.megabytes(&dst.Disk)},
		)
	}
}

func (r *reader) needs(dst *[]Need) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.items(n, p, func(item *yaml.Node, p string) {
			var need Need
			r.object(item, p,
				field{"command", true, r.text(&need.Command)},
				field{"check", true, r.text(&need.Check)},
				field{"min", false, r.version(&need.Min)},
				field{"install", true, r.text(&need.Install)},
				field{"debian", false, r.packages(&need.Debian)},
			)
			*dst = append(*dst, need)
		})
	}
}

// shellOnly are characters that mean something to a shell only; commands that
// are run without one must not have them.
const shellOnly = "\"'`\\|&;<>()*?~\n"

func (r *reader) command(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		r.text(dst)(n, p)
		if i := strings.IndexAny(strings.TrimSpace(*dst), shellOnly); i >= 0 {
			r.fail(n, p, "is run without a shell, so %q can't be used; put it in a script", strings.TrimSpace(*dst)[i:i+1])
		}
	}
}

// readiness reads a path, or "grpc".
func (r *reader) readiness(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		if n.Value == contract.GRPC {
			*dst = n.Value
			return
		}
		r.urlPath(dst)(n, p)
	}
}

func (r *reader) urlPath(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && (!strings.HasPrefix(s, "/") || strings.ContainsAny(s, " \t\r\n")) {
			r.fail(n, p, "%q is not a path; expected one such as %q", s, "/plaintext")
		}
		*dst = s
	}
}

// within reads a path relative to dir and makes it relative to the root it
// must stay in.
func (r *reader) within(dst *string, dir string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if !ok {
			return
		}
		full := path.Join(dir, s)
		if s == "" || path.IsAbs(s) || full == ".." || strings.HasPrefix(full, "../") {
			r.fail(n, p, "%q must be a relative path that stays within the subjects' folder", s)
			return
		}
		*dst = full
	}
}

var versionNumber = regexp.MustCompile(`\d+(\.\d+)*`)

func (r *reader) version(dst *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		s, ok := r.scalar(n, p)
		if ok && versionNumber.FindString(s) != s {
			r.fail(n, p, "%q is not a version; expected one such as %q", s, "1.26")
		}
		*dst = s
	}
}

var environmentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (r *reader) environment(dst *map[string]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, p string) {
		env := map[string]string{}
		r.pairs(n, p, func(key, value *yaml.Node) {
			if !environmentName.MatchString(key.Value) {
				r.fail(key, p, "%q is not the name of an environment variable", key.Value)
			}
			if s, ok := r.scalar(value, join(p, key.Value)); ok {
				env[key.Value] = s
			}
		})
		*dst = env
	}
}
