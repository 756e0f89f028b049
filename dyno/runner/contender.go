package runner

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/rpc"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subject/contract"
	"dyno.example/internal/i18n"
)

// contender is a subject made ready for its trials.
type contender struct {
	study.Subject
	starts   map[string]subject.StartSpec // how to start it, by the flags it is built with; none if it is already up
	sizes    map[string]uint64            // bytes of what was built, by the same; none of the user's own
	routes   []contract.Route             // the contract it must fulfil; nil if only the requests are known
	calls    []contract.Call              // of its contract, if it speaks gRPC
	tells    bool                         // its runtime reports figures, by a helper or a log
	settles  bool                         // it may get faster as it runs, or that isn't known: see [study.Timing.WarmupMost]
	upstream *subject.StartSpec           // what it sends requests on to; nil for none
	archived archive.Subject
}

// built notes a build for the archive, and the size of the first.
func (c *contender) built(flags string, artifact *subject.Artifact) {
	hash := artifact.Hash
	if c.archived.BuildHash == "" {
		c.archived.BuildHash, c.archived.BuildSize = hash, artifact.Size()
	}
	if flags == "" {
		return
	}
	if c.archived.Builds == nil {
		c.archived.Builds = make(map[string]string)
	}
	c.archived.Builds[flags] = hash
}

// starter starts contenders.
type starter struct {
	places      *places
	certificate *certificate      // nil if none listens with TLS
	stateDir    string            // for the journal of running subjects
	services    map[string]string // variables that say where the services are
}

// instance starts the contender, or attaches to it, and verifies its responses. In its
// environment the cell's levels win over the subject's own settings, and these over
// probeEnv, so that a study can leave the probe out.
func (s *starter) instance(ctx context.Context, c *contender, cell *study.Cell, probeEnv map[string]string, log string) (*subject.Instance, error) {
	trust, err := s.certificate.trust(c, cell)
	if err != nil {
		return nil, i18n.Errorf("runner.subject", "subject %s: %w", c.Name, err)
	}
	in, err := s.begin(ctx, c, cell, probeEnv, log)
	if err != nil {
		return nil, err
	}
	verifier := &contract.Verifier{TLS: trust, Protocol: cell.Link.Protocol()}
	switch {
	case c.routes != nil:
		err = verifier.Verify(ctx, in.URL(), c.routes)
	case c.calls != nil:
		err = verifier.VerifyCalls(ctx, in.URL(), c.calls)
	}
	switch {
	case err != nil:
	case cell.Link.WebSocket != nil || cell.Link.Events != nil:
		err = verifyMessages(ctx, in.URL(), s.certificate.security(c, cell), cell)
	default:
		err = verifyRequests(ctx, verifier, in.URL(), cell)
	}
	if err != nil {
		return nil, errors.Join(&subjectError{i18n.Errorf("runner.subject", "subject %s: %w", c.Name, err)}, in.Stop(context.WithoutCancel(ctx)))
	}
	return in, nil
}

// begin starts the contender as the cell's levels say, or attaches to it.
func (s *starter) begin(ctx context.Context, c *contender, cell *study.Cell, probeEnv map[string]string, log string) (*subject.Instance, error) {
	if c.URL != "" {
		return subject.Attach(c.Name, c.URL)
	}
	start, err := c.starts[cell.BuildFlags].WithArgs(cell.Args)
	if err != nil {
		return nil, err
	}
	if start.CPUs, err = cell.PickCPUs(s.places.Subject, s.places.online); err != nil {
		return nil, i18n.Errorf("runner.subject", "subject %s: %w", c.Name, err)
	}
	start.Env = merged(probeEnv, s.services, start.Env, cell.Env)
	if cell.TLS != "" {
		start.TLS = s.certificate.config()
		maps.Copy(start.Env, s.certificate.env())
	}
	start.Limits = limitsFor(c, cell)
	start.Log, start.StateDir = log, s.stateDir
	start.Upstream, start.Link = s.upstream(c, cell), cell.Network
	in, err := subject.Start(ctx, start)
	var failed *subject.StartError
	if errors.As(err, &failed) {
		failed.Log = "" // it moves to the trial
	}
	return in, err
}

// verifyRequests sends the cell's requests once.
func verifyRequests(ctx context.Context, v *contract.Verifier, url string, cell *study.Cell) error {
	asked := cell.SizedRequests()
	server, err := rpcServer(url, v.TLS)
	if err != nil {
		return err
	}
	if err := rpc.Resolve(ctx, asked, func() (*rpc.Server, error) { return server, nil }); err != nil {
		return err
	}
	examples, err := request.Examples(asked, cell.Feeds)
	if err != nil {
		return err
	}
	var others []request.Request
	for i := range examples {
		if examples[i].GRPC == nil {
			others = append(others, examples[i])
		} else if err := server.Verify(ctx, &examples[i]); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	return v.VerifyRequests(ctx, url, others)
}

// rpcServer is a subject as clients of gRPC see it. trust is for https, nil for the
// system's certificates.
func rpcServer(at string, trust *tls.Config) (*rpc.Server, error) {
	u, dial, err := request.ParseTarget(at)
	if err != nil {
		return nil, err
	}
	server := &rpc.Server{Address: dial, Authority: u.Host}
	if request.Secure(u) {
		if server.TLS = trust; trust == nil {
			server.TLS = &tls.Config{}
		}
	}
	return server, nil
}

// subjectError is an error that is the subject's own fault.
type subjectError struct{ error }

func (e *subjectError) Unwrap() error { return e.error }

// faultOf says whose fault a failed trial is: the subject's if it was executed
// and did not get ready, sent wrong responses, or ended by itself.
func faultOf(err error) archive.Fault {
	var own *subjectError
	var start *subject.StartError
	if errors.As(err, &own) || errors.As(err, &start) && !start.PortTaken() {
		return archive.OfSubject
	}
	return ""
}
