package gatewayapi

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gw "sigs.k8s.io/gateway-api/apis/v1"
	grants "sigs.k8s.io/gateway-api/apis/v1beta1"
)

// keptSource is what was served last, as it is kept on disk: the objects that it was made of, and
// nothing of Secrets. Another run makes of them what its own file has them be.
type keptSource struct {
	Version    int                      `json:"version"`
	From       string                   `json:"from"` // for who looks at it
	Read       time.Time                `json:"read"` // when it was so
	Served     []Name                   `json:"served"`
	Classes    []*gw.GatewayClass       `json:"classes"`
	Gateways   []*gw.Gateway            `json:"gateways"`
	HTTPRoutes []*gw.HTTPRoute          `json:"httpRoutes"`
	GRPCRoutes []*gw.GRPCRoute          `json:"grpcRoutes"`
	Grants     []*grants.ReferenceGrant `json:"grants"`
	Services   []keptService            `json:"services"`
	Namespaces []keptNamespace          `json:"namespaces"`
}

type keptService struct {
	Name  Name    `json:"name"`
	Ports Service `json:"ports"`
}

type keptNamespace struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}

const keptVersion = 2

// keepAgain is how long the file tells a time before that, though nothing has changed.
const keepAgain = time.Hour

// source are those of the objects that a result was made of.
func (o *Objects) source(made *Result, served []Name) *keptSource {
	k := &keptSource{Version: keptVersion, Served: served}
	for _, name := range sorted(made.Classes) {
		k.Classes = append(k.Classes, &gw.GatewayClass{ObjectMeta: bare(&o.Classes[name].ObjectMeta), Spec: o.Classes[name].Spec})
	}
	for _, name := range sorted(made.Gateways) {
		k.Gateways = append(k.Gateways, &gw.Gateway{ObjectMeta: bare(&o.Gateways[name].ObjectMeta), Spec: o.Gateways[name].Spec})
	}
	from := map[string]bool{}
	for _, name := range sorted(made.HTTP) {
		k.HTTPRoutes = append(k.HTTPRoutes, &gw.HTTPRoute{ObjectMeta: bare(&o.HTTPRoutes[name].ObjectMeta), Spec: o.HTTPRoutes[name].Spec})
		from[name.Namespace] = true
	}
	for _, name := range sorted(made.GRPC) {
		k.GRPCRoutes = append(k.GRPCRoutes, &gw.GRPCRoute{ObjectMeta: bare(&o.GRPCRoutes[name].ObjectMeta), Spec: o.GRPCRoutes[name].Spec})
		from[name.Namespace] = true
	}
	for _, name := range sorted(o.Grants) {
		k.Grants = append(k.Grants, &grants.ReferenceGrant{ObjectMeta: bare(&o.Grants[name].ObjectMeta), Spec: o.Grants[name].Spec})
	}
	for _, u := range made.Addition.Upstreams {
		name := Name{Namespace: u.Kubernetes.Namespace, Name: u.Kubernetes.Service}
		k.Services = append(k.Services, keptService{name, o.Services[name]})
	}
	for _, name := range sorted(o.Namespaces) {
		if from[name.Name] {
			k.Namespaces = append(k.Namespaces, keptNamespace{name.Name, o.Namespaces[name]})
		}
	}
	return k
}

// bare is what of an object's metadata is used.
func bare(m *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, Generation: m.Generation, CreationTimestamp: m.CreationTimestamp}
}

// objects are those that were kept.
func (k *keptSource) objects() *Objects {
	o := newObjects()
	index(o.Classes, k.Classes)
	index(o.Gateways, k.Gateways)
	index(o.HTTPRoutes, k.HTTPRoutes)
	index(o.GRPCRoutes, k.GRPCRoutes)
	index(o.Grants, k.Grants)
	for _, s := range k.Services {
		o.Services[s.Name] = s.Ports
	}
	for _, n := range k.Namespaces {
		o.Namespaces[Name{Name: n.Name}] = n.Labels
	}
	return o
}

func index[T any, P object[T]](all map[Name]*T, list []*T) {
	for _, o := range list {
		all[Name{Namespace: P(o).GetNamespace(), Name: P(o).GetName()}] = o
	}
}

// keep has the source of what is served kept on disk, as what there is by a reading of now.
func (f *Follower) keep(source *keptSource, changed bool) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status.Stored, f.status.Read = false, time.Time{}
	if !changed && now.Sub(f.keptAt) < keepAgain {
		return
	}
	f.keptAt = now
	source.From, source.Read = f.status.From, now.UTC()
	f.later.Save(source)
}

// recall has served what an earlier run did, unless something is served already: the API
// server can't be read, or takes its time.
func (f *Follower) recall() {
	if f.served != nil {
		return
	}
	var kept keptSource
	there, err := f.file.Load(&kept)
	if there && err == nil && kept.Version != keptVersion {
		err = fmt.Errorf("%s: expected version %d, got %d", f.file.Name(), keptVersion, kept.Version)
	}
	var made *Result
	if there && err == nil {
		settings := f.settings
		settings.Gateways = kept.Served
		made = Translate(kept.objects(), settings)
		err = f.apply(&made.Addition)
	}
	switch {
	case err != nil:
		f.say("recall", "stored routes can't be served", err.Error())
	case there:
		f.served = &made.Addition
		f.log.Warn("serving stored routes until Kubernetes can be read", "from", f.status.From, "read", kept.Read, "age", time.Since(kept.Read).Round(time.Second))
		f.mu.Lock()
		defer f.mu.Unlock()
		f.status.Stored, f.status.Read = true, kept.Read
	}
}
