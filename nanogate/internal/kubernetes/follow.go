package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// mostSlices bounds how many EndpointSlices of a Service are kept.
const mostSlices = 1000

// follow is what is known of a Service: all upstreams of the same hear from it.
type follow struct {
	log    *slog.Logger
	config *config.Kubernetes
	end    context.CancelFunc
	ended  sync.WaitGroup
	dirty  chan struct{} // something has changed since it was told
	kept   *state.Instances

	mu      sync.Mutex
	slices  map[string]*slice   // nil: they were never read
	service *service            // nil: it was never read, or isn't needed
	numeric bool                // it is: the port is one of its numbers
	before  []upstream.Instance // as an earlier run has read them; nil: it didn't
	status  upstream.SourceStatus
	failing [2]error // why slices and the Service can't be read
	live    [2]bool  // they are
	wrong   []string // as it was logged
	tell    []*func([]upstream.Instance)
}

// service is what of a Service is used: the names of its TCP ports by number.
type service struct{ ports map[string]string }

// What is read, and the places of both in follow's fields.
const (
	ofSlices = iota
	ofService
)

// join returns what is known of a Service, and follows it from now on if nobody does.
// Each join ends with [Clusters.part].
func (s *Clusters) join(c *config.Kubernetes) (*cluster, *follow) {
	cl := s.use(&c.Cluster)
	return cl, cl.follows.Use(c.Same(), func() *follow {
		f := newFollow(c, s.log)
		f.kept = s.kept(c)
		f.recall()
		ctx, end := context.WithCancel(context.Background())
		f.end = end
		f.start(ctx, cl, s.timing)
		return f
	})
}

// part ends a join.
func (s *Clusters) part(c *cluster, f *follow) {
	if c.follows.Leave(f.config.Same()) {
		f.end()
		f.ended.Wait()
		f.kept.Close()
	}
	s.leave(c)
}

// kept is where the instances of a Service are kept on disk.
func (s *Clusters) kept(c *config.Kubernetes) *state.Instances {
	return s.state.Instances(s.log, from(c), "kubernetes", c.Cluster.Kubeconfig, c.Cluster.Context, c.Same())
}

// recall takes what is on disk for what is known.
func (f *follow) recall() {
	all, read, err := f.kept.Recall()
	if err != nil {
		f.log.Error("stored endpoints can't be read from disk", "error", err)
	}
	if all == nil {
		return
	}
	f.before, f.status.Stored, f.status.Read = all, true, read
	f.log.Info("using stored endpoints until Kubernetes can be read", "endpoints", len(all), "read", read, "age", time.Since(read).Round(time.Second))
}

// known returns the instances that are known of a Service, without asking anybody: what
// another upstream follows, or what is on disk.
func (s *Clusters) known(c *config.Kubernetes) []upstream.Instance {
	var f *follow
	if cl, ok := s.all.Find(c.Cluster.Same()); ok {
		f, _ = cl.follows.Find(c.Same())
	}
	if f == nil {
		all, _, _ := s.kept(c).Recall() // who follows it says what is wrong
		return all
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all, _, _ := f.instances()
	return all
}

func newFollow(c *config.Kubernetes, log *slog.Logger) *follow {
	f := &follow{
		log: log.With("kubernetes", cmp.Or(c.Namespace, "(own)")+"/"+c.Service), config: c, dirty: make(chan struct{}, 1),
		numeric: c.Port != "" && strings.Trim(c.Port, "0123456789") == "",
	}
	f.status.From = from(c)
	f.status.Since = time.Now()
	f.live[ofService] = !f.numeric
	return f
}

// from names where instances come from.
func from(c *config.Kubernetes) string {
	name := c.Service
	if c.Namespace != "" {
		name = c.Namespace + "/" + name
	}
	if c.Port != "" {
		name += ":" + c.Port
	}
	return strings.Join(strings.Fields("kubernetes "+c.Cluster.Kubeconfig+" "+c.Cluster.Context+" "+name), " ")
}

// start begins to read.
func (f *follow) start(ctx context.Context, c *cluster, t timing) {
	f.ended.Go(func() { f.telling(ctx) })
	f.ended.Go(func() {
		c.read(ctx, Resource{
			Group: discovery.SchemeGroupVersion, Name: "endpointslices", Namespace: f.config.Namespace,
			Labels: discovery.LabelServiceName + "=" + f.config.Service,
			Kind:   &discovery.EndpointSlice{}, List: func() runtime.Object { return &discovery.EndpointSliceList{} },
		}, t, objects[discovery.EndpointSlice]{replace: f.replaceSlices, change: f.changeSlice, version: f.version}, func(err error) { f.note(ofSlices, err) })
	})
	if f.numeric {
		f.ended.Go(func() {
			c.read(ctx, Resource{
				Group: core.SchemeGroupVersion, Name: "services", Namespace: f.config.Namespace,
				Fields: "metadata.name=" + f.config.Service,
				Kind:   &core.Service{}, List: func() runtime.Object { return &core.ServiceList{} },
			}, t, objects[core.Service]{replace: f.replaceService, change: f.changeService, version: func(string) {}}, func(err error) { f.note(ofService, err) })
		})
	}
}

func (f *follow) replaceSlices(all []*discovery.EndpointSlice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slices = make(map[string]*slice, len(all))
	for _, s := range all {
		f.keep(s)
	}
	f.changed()
}

func (f *follow) changeSlice(s *discovery.EndpointSlice, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if gone {
		delete(f.slices, s.Name)
	} else {
		f.keep(s)
	}
	f.changed()
}

func (f *follow) keep(s *discovery.EndpointSlice) {
	if _, known := f.slices[s.Name]; known || len(f.slices) < mostSlices {
		f.slices[s.Name] = newSlice(s)
	}
}

func (f *follow) replaceService(all []*core.Service) {
	if len(all) == 0 {
		f.changeService(&core.Service{}, true)
		return
	}
	f.changeService(all[0], false)
}

func (f *follow) changeService(s *core.Service, gone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.service = &service{ports: map[string]string{}}
	if !gone {
		for i := range s.Spec.Ports {
			if p := &s.Spec.Ports[i]; p.Protocol == "" || p.Protocol == core.ProtocolTCP {
				f.service.ports[strconv.Itoa(int(p.Port))] = p.Name
			}
		}
	}
	f.changed()
}

// version notes the version of the store. Kubernetes promises no more of it than that it
// is a text; it is a number.
func (f *follow) version(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status.Revision, _ = strconv.ParseInt(text, 10, 64)
}

// whole reports whether enough was read to know who can be asked.
func (f *follow) whole() bool { return f.slices != nil && (!f.numeric || f.service != nil) }

// instances are those that can be asked; until enough was read, those that an earlier run
// knew. known is false if there is neither.
func (f *follow) instances() (all []upstream.Instance, wrong []string, known bool) {
	if !f.whole() {
		return f.before, nil, f.before != nil
	}
	want := wanted{port: f.config.Port, only: f.config.Port == "", talk: f.config.Protocol, family: f.config.Family}
	if f.numeric {
		name, ok := f.service.ports[f.config.Port]
		if !ok {
			return nil, []string{fmt.Sprintf("there is no Service %s with a TCP port %s", f.config.Service, f.config.Port)}, true
		}
		want.port = name
	}
	all, wrong = instances(f.slices, want)
	if len(f.slices) == mostSlices {
		wrong = append(wrong, fmt.Sprintf("the Service has %d EndpointSlices or more: no others are read", mostSlices))
	}
	return all, wrong, true
}

// changed has the new set told soon, together with what else changes until then.
func (f *follow) changed() {
	select {
	case f.dirty <- struct{}{}:
	default:
	}
}

// telling tells all of them what there is, whenever it changes.
func (f *follow) telling(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.dirty:
			f.tellAll()
		}
	}
}

// mostWrong bounds how much of what is wrong is told.
const mostWrong = 20

func (f *follow) tellAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.whole() {
		return
	}
	all, wrong, _ := f.instances()
	f.before, f.status.Stored, f.status.Read = nil, false, time.Time{}
	f.kept.Keep(all)
	if n := len(wrong); n > mostWrong {
		wrong = append(wrong[:mostWrong:mostWrong], fmt.Sprintf("and %d more", n-mostWrong))
	}
	for _, w := range wrong {
		if !slices.Contains(f.wrong, w) {
			f.log.Warn("part of the Service can't be used; using the rest", "problem", w)
		}
	}
	f.wrong, f.status.Wrong = wrong, wrong
	for _, tell := range f.tell {
		(*tell)(all)
	}
}

// note keeps how reading goes.
func (f *follow) note(which int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.status
	f.live[which], f.failing[which] = err == nil, err
	f.status.Live = f.live[ofSlices] && f.live[ofService]
	f.status.Err = ""
	for _, failing := range f.failing {
		if failing != nil && f.status.Err == "" {
			f.status.Err = failing.Error()
		}
	}
	switch {
	case f.status.Live && !before.Live:
		f.status.Since = time.Now()
		f.log.Info("watching endpoints", "slices", len(f.slices))
	case f.status.Err != "" && (before.Live || before.Err == ""):
		f.status.Since = time.Now()
		f.log.Warn("Kubernetes can't be read; keeping the known endpoints", "slices", len(f.slices), "error", f.status.Err)
	}
	if f.status.Live && f.whole() { // a watch begins each 5 to 10 minutes
		all, _, _ := f.instances()
		f.kept.Keep(all)
	}
}

// listen has update told who there is, now and whenever it changes, until the function
// that it returns is called.
func (f *follow) listen(update func([]upstream.Instance)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell = append(f.tell, &update)
	if all, _, known := f.instances(); known {
		update(all)
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.tell = slices.DeleteFunc(f.tell, func(t *func([]upstream.Instance)) bool { return t == &update })
	}
}

// look returns how following goes.
func (f *follow) look() upstream.SourceStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}
