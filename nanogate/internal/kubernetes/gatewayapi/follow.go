package gatewayapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gw "sigs.k8s.io/gateway-api/apis/v1"
	grants "sigs.k8s.io/gateway-api/apis/v1beta1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/kubernetes"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/state"
	"dyno.example/nanogate/internal/upstream"
)

// Follower has served what stands in Kubernetes, and says there what became of it.
type Follower struct {
	settings Settings
	names    []config.KubernetesName
	cluster  *kubernetes.Cluster
	log      *slog.Logger
	apply    func(*config.Addition) error
	dirty    chan struct{} // something has changed
	failed   chan struct{} // something can't be read
	patience time.Duration
	certify  func([]secure.Bound)
	file     *state.File // of what was served last
	later    *state.DelayedSaver
	end      context.CancelFunc
	ended    sync.WaitGroup
	closing  sync.Once

	mu      sync.Mutex
	objects *Objects
	read    map[string]bool  // resources that were
	failing map[string]error // why one can't be
	live    map[string]bool  // it is read and watched
	status  upstream.SourceStatus
	keptAt  time.Time // when what is served was handed on to be kept

	// Of the goroutine that translates.
	served  *config.Addition            // nil: nothing is yet
	reading map[Name]context.CancelFunc // Secrets, and what ends it
	problem error                       // why what there is isn't served
	said    map[string]string           // what was logged, by what it is about
}

// settle is how long is waited for other changes when something has changed.
const settle = 50 * time.Millisecond

// Options are what a follower needs in addition to the configuration.
type Options struct {
	Clusters *kubernetes.Clusters
	Log      *slog.Logger
	// Apply serves what [config.Config.With] takes in place of what it was told before.
	Apply func(*config.Addition) error
	// Certify has certificates shown in place of those that it was told before. It is called
	// before Apply; nil: Secrets aren't read.
	Certify func([]secure.Bound)
	// Patience is how long Kubernetes may take until what an earlier run has served is; 0 is
	// two seconds. When it can't be read, that is so at once.
	Patience time.Duration
}

// Follow begins to follow what a configuration names. [Follower.Close] ends it.
func Follow(c *config.Config, o Options) *Follower {
	k := c.Kubernetes
	ctx, end := context.WithCancel(context.Background())
	f := &Follower{
		settings: Settings{Controller: k.Controller, Addresses: k.Addresses, Cluster: k.Cluster, Identity: c.Identity},
		names:    k.Gateways, cluster: o.Clusters.Open(&k.Cluster), log: o.Log, apply: o.Apply, dirty: make(chan struct{}, 1), failed: make(chan struct{}, 1), end: end,
		patience: cmp.Or(o.Patience, 2*time.Second),
		read:     map[string]bool{}, failing: map[string]error{}, live: map[string]bool{}, said: map[string]string{}, certify: o.Certify, reading: map[Name]context.CancelFunc{},
		objects: newObjects(),
	}
	f.settings.Ports = Ports(c)
	for _, l := range c.Listen {
		f.settings.Secure, f.settings.Plain = f.settings.Secure || l.TLS != nil, f.settings.Plain || l.TLS == nil
		f.settings.FromSecrets = f.settings.FromSecrets || l.TLS != nil && l.TLS.Kubernetes && o.Certify != nil
	}
	f.status = upstream.SourceStatus{From: from(k), Since: time.Now()}
	f.file = f.cluster.File("routes", k.Cluster.Kubeconfig, k.Cluster.Context, k.Controller, named(k))
	f.later = f.file.DelayedSaver(o.Log)
	reads(ctx, f, classes, false, f.objects.Classes, whole[gw.GatewayClass])
	reads(ctx, f, gateways, false, f.objects.Gateways, whole[gw.Gateway])
	reads(ctx, f, httpRoutes, false, f.objects.HTTPRoutes, whole[gw.HTTPRoute])
	reads(ctx, f, grpcRoutes, true, f.objects.GRPCRoutes, whole[gw.GRPCRoute])
	reads(ctx, f, referenceGrants, true, f.objects.Grants, whole[grants.ReferenceGrant])
	reads(ctx, f, services, false, f.objects.Services, portsOf)
	reads(ctx, f, namespaces, false, f.objects.Namespaces, func(n *core.Namespace) map[string]string { return n.Labels })
	f.ended.Go(func() { f.run(ctx) })
	return f
}

// from names where routes come from.
func from(k *config.KubernetesRoutes) string { return "kubernetes gateway " + named(k) }

// named are the Gateways' names.
func named(k *config.KubernetesRoutes) string {
	var names []string
	for _, n := range k.Gateways {
		names = append(names, strings.TrimPrefix(n.Namespace+"/"+n.Name, "/"))
	}
	return strings.Join(names, " ")
}

// Ports are those that a configuration names to be listened on, in their order.
func Ports(c *config.Config) (all []int32) {
	for _, l := range c.Listen {
		_, text, _ := net.SplitHostPort(l.Address)
		if port, err := strconv.ParseUint(text, 10, 16); err == nil && port != 0 {
			all = append(all, int32(port))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Close ends following. What is served stays.
func (f *Follower) Close() {
	f.closing.Do(func() {
		f.end()
		f.ended.Wait()
		f.later.Close()
		f.cluster.Close()
	})
}

// Status says how following goes.
func (f *Follower) Status() upstream.SourceStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// What is read.
var (
	classes         = of("gatewayclasses", &gw.GatewayClass{}, func() runtime.Object { return &gw.GatewayClassList{} })
	gateways        = of("gateways", &gw.Gateway{}, func() runtime.Object { return &gw.GatewayList{} })
	httpRoutes      = of("httproutes", &gw.HTTPRoute{}, func() runtime.Object { return &gw.HTTPRouteList{} })
	grpcRoutes      = of("grpcroutes", &gw.GRPCRoute{}, func() runtime.Object { return &gw.GRPCRouteList{} })
	referenceGrants = kubernetes.Resource{Group: grants.SchemeGroupVersion, Name: "referencegrants", Namespace: kubernetes.Everywhere, Kind: &grants.ReferenceGrant{}, List: func() runtime.Object { return &grants.ReferenceGrantList{} }}
	services        = kubernetes.Resource{Group: core.SchemeGroupVersion, Name: "services", Namespace: kubernetes.Everywhere, Kind: &core.Service{}, List: func() runtime.Object { return &core.ServiceList{} }}
	namespaces      = kubernetes.Resource{Group: core.SchemeGroupVersion, Name: "namespaces", Namespace: kubernetes.Everywhere, Kind: &core.Namespace{}, List: func() runtime.Object { return &core.NamespaceList{} }}
)

// resources is how many those are.
const resources = 7

func of(name string, kind runtime.Object, list func() runtime.Object) kubernetes.Resource {
	return kubernetes.Resource{Group: gw.SchemeGroupVersion, Name: name, Namespace: kubernetes.Everywhere, Kind: kind, List: list}
}

// whole keeps an object, without who has written which of its fields.
func whole[T any, P object[T]](o *T) *T {
	P(o).SetManagedFields(nil)
	return o
}

// portsOf are the TCP ports of a Service.
func portsOf(s *core.Service) Service {
	made := Service{}
	for i := range s.Spec.Ports {
		if p := &s.Spec.Ports[i]; p.Protocol == "" || p.Protocol == core.ProtocolTCP {
			made[p.Port] = p.Name
		}
	}
	return made
}

// object is an object of the API.
type object[T any] interface {
	*T
	metav1.Object
}

// reads keeps what there is of a resource in all. One that is optional may not be
// installed.
func reads[T any, P object[T], V any](ctx context.Context, f *Follower, r kubernetes.Resource, optional bool, all map[Name]V, keep func(*T) V) {
	name := func(o *T) Name { return Name{Namespace: P(o).GetNamespace(), Name: P(o).GetName()} }
	f.ended.Go(func() {
		kubernetes.Read(ctx, f.cluster, r, kubernetes.Handler[T]{
			Replace: func(list []*T) {
				f.changed(r.Name, func() {
					clear(all)
					for _, o := range list {
						all[name(o)] = keep(o)
					}
				})
			},
			Change: func(o *T, gone bool) {
				f.changed(r.Name, func() {
					if gone {
						delete(all, name(o))
					} else {
						all[name(o)] = keep(o)
					}
				})
			},
			Status: func(err error) {
				if optional && kubernetes.Missing(err) {
					f.changed(r.Name, func() { clear(all) })
					err = nil
				}
				f.note(r.Name, err)
			},
		})
	})
}

// changed changes the objects, and has them looked at soon. The resource, "" for a Secret,
// is read from then on.
func (f *Follower) changed(resource string, change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	if resource != "" {
		f.read[resource] = true
	}
	wake(f.dirty)
}

// wake has who waits for something look; once is enough.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// note keeps how reading a resource goes.
func (f *Follower) note(resource string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, secret := secretOf(resource); !secret {
		f.live[resource] = err == nil
	}
	if err == nil {
		delete(f.failing, resource)
		if time.Since(f.keptAt) > keepAgain {
			wake(f.dirty)
		}
	} else {
		f.failing[resource] = err
		wake(f.failed)
	}
	f.assess()
}

// assess says how reading goes as a whole. f.mu is held.
func (f *Follower) assess() {
	before := f.status
	f.status.Err = ""
	for _, name := range slices.Sorted(maps.Keys(f.failing)) {
		f.status.Err = cmp.Or(f.status.Err, name+": "+f.failing[name].Error())
	}
	f.status.Live = len(f.live) == resources && len(f.failing) == 0
	switch {
	case f.status.Live && !before.Live:
		f.status.Since = time.Now()
		f.log.Info("watching routes in Kubernetes", "from", f.status.From)
	case f.status.Err != "" && (before.Live || before.Err == ""):
		f.status.Since = time.Now()
		f.log.Warn("Kubernetes can't be read; keeping the known routes", "from", f.status.From, "error", f.status.Err)
	}
}

// run translates whenever something has changed, until ctx ends.
func (f *Follower) run(ctx context.Context) {
	late := time.NewTimer(f.patience)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.failed:
			f.recall()
			continue
		case <-late.C:
			f.recall()
			continue
		case <-f.dirty:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
		f.once(ctx)
	}
}

// once translates what there is, has it served, and writes statuses.
func (f *Follower) once(ctx context.Context) {
	own, err := f.cluster.Namespace()
	if err != nil {
		return // what reads says so
	}
	f.mu.Lock()
	if len(f.read) < resources {
		f.mu.Unlock()
		return
	}
	f.settings.Gateways = nil
	for _, n := range f.names {
		f.settings.Gateways = append(f.settings.Gateways, Name{Namespace: cmp.Or(n.Namespace, own), Name: n.Name})
	}
	made := Translate(f.objects, f.settings)
	f.status.Wrong = made.Missing
	source := f.objects.source(made, f.settings.Gateways)
	f.mu.Unlock()
	f.want(ctx, made.Wanted)
	if made.Pending {
		return // we are about to be told
	}
	f.say("gateways", "a Gateway can't be served", strings.Join(made.Missing, "; "))
	if f.settings.FromSecrets {
		f.certify(made.Certificates)
	}
	changed := f.served == nil || !reflect.DeepEqual(f.served, &made.Addition)
	if changed {
		if f.problem = f.apply(&made.Addition); f.problem == nil {
			f.served = &made.Addition
			f.log.Info("routes applied", "from", f.status.From, "routes", len(made.Addition.Routes))
		}
	}
	if f.problem == nil {
		f.keep(source, changed)
	}
	refused := ""
	if f.problem != nil {
		refused = f.problem.Error()
	}
	f.say("apply", "routes of Kubernetes rejected; keeping the previous ones", refused)
	f.mu.Lock()
	changes := f.changes(made, time.Now())
	f.mu.Unlock()
	for _, c := range changes {
		err := f.cluster.PutStatus(ctx, c.resource, c.name.Namespace, c.name.Name, c.object)
		if err == nil || kubernetes.Conflict(err) || kubernetes.Missing(err) || ctx.Err() != nil {
			continue // it is another one by now, which we are about to be told
		}
		f.say("status", "a status can't be written", fmt.Sprintf("%s %s: %v", c.resource.Name, c.name, err))
	}
}

// say logs a problem, once.
func (f *Follower) say(about, what, problem string) {
	if problem != "" && f.said[about] != problem {
		f.log.Warn(what, "from", f.settings.Gateways, "problem", problem)
	}
	f.said[about] = problem
}
