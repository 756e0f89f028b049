package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	gateways "sigs.k8s.io/gateway-api/apis/v1"
	grants "sigs.k8s.io/gateway-api/apis/v1beta1"
)

// scheme has just the kinds that are read: a clientset would have all that there are.
var (
	scheme     = newScheme()
	codecs     = serializer.NewCodecFactory(scheme).WithoutConversion()
	parameters = runtime.NewParameterCodec(scheme)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(discovery.SchemeGroupVersion, &discovery.EndpointSlice{}, &discovery.EndpointSliceList{})
	s.AddKnownTypes(core.SchemeGroupVersion, &core.Service{}, &core.ServiceList{}, &core.Namespace{}, &core.NamespaceList{}, &core.Secret{}, &core.SecretList{})
	s.AddKnownTypes(gateways.SchemeGroupVersion, &gateways.GatewayClass{}, &gateways.GatewayClassList{}, &gateways.Gateway{}, &gateways.GatewayList{},
		&gateways.HTTPRoute{}, &gateways.HTTPRouteList{}, &gateways.GRPCRoute{}, &gateways.GRPCRouteList{})
	s.AddKnownTypes(grants.SchemeGroupVersion, &grants.ReferenceGrant{}, &grants.ReferenceGrantList{})
	for _, group := range []schema.GroupVersion{discovery.SchemeGroupVersion, core.SchemeGroupVersion, gateways.SchemeGroupVersion, grants.SchemeGroupVersion} {
		metav1.AddToGroupVersion(s, group)
	}
	return s
}

// mostObjects bounds how many objects of a resource are read.
const mostObjects = 10_000

// opening is how long the API server has to begin a watch.
const opening = 30 * time.Second

// Resource is what is read and watched: objects of a kind, in one namespace or in all.
type Resource struct {
	Group     schema.GroupVersion
	Name      string // in the plural, as in paths
	Namespace string // "": the connection's; [Everywhere]
	Labels    string // selectors; "": all
	Fields    string
	Kind      runtime.Object
	List      func() runtime.Object
}

// Everywhere is all namespaces, or none for what stands in none.
const Everywhere = "*"

// objects are told what there is of a resource, each object once and then whenever it
// changes.
type objects[T any] struct {
	replace func(all []*T)
	change  func(o *T, gone bool)
	version func(string) // of the store
}

func (s objects[T]) Add(o any) error { return s.Update(o) }

func (s objects[T]) Update(o any) error {
	if one, ok := o.(*T); ok {
		s.change(one, false)
	}
	return nil
}

func (s objects[T]) Delete(o any) error {
	if one, ok := o.(*T); ok {
		s.change(one, true)
	}
	return nil
}

func (s objects[T]) Replace(all []any, version string) error {
	made := make([]*T, 0, len(all))
	for _, o := range all {
		if one, ok := o.(*T); ok {
			made = append(made, one)
		}
	}
	s.replace(made)
	s.version(version)
	return nil
}

func (s objects[T]) Resync() error { return nil }

func (s objects[T]) UpdateResourceVersion(version string) { s.version(version) }

// reading is a resource that is read. It is for one goroutine.
type reading struct {
	cluster *cluster
	Resource
	status func(error) // nil: it is read and watched; else why it can't be
	count  int         // objects in the pages of a list so far
}

// read tells store what there is and what changes, until ctx ends. That is client-go's
// Reflector: it lists in pages, watches from there on, and lists again when the server
// doesn't know the version any more (410 Gone) or the watch ends in another strange way.
// status is called whenever reading begins to work, or fails.
func (c *cluster) read(ctx context.Context, r Resource, t timing, store cache.ReflectorStore, status func(error)) {
	var quiet klog.Logger // which is silent: this package logs what has to be known
	ctx = klog.NewContext(ctx, quiet)
	from := &reading{cluster: c, Resource: r, status: status}
	reflector := cache.NewReflectorWithOptions(from, r.Kind, store, cache.ReflectorOptions{
		Name: r.Name, Logger: &quiet,
		Backoff: &wait.Backoff{Duration: t.first, Cap: t.longest, Factor: 2, Jitter: 1, Steps: 30},
	})
	reflector.WatchListPageSize = 500
	reflector.RunWithContext(ctx)
}

// IsWatchListSemanticsUnSupported has lists be read in pages, which can be bounded, and
// not as streams.
func (r *reading) IsWatchListSemanticsUnSupported() bool { return true }

// ask asks the API server. After a failure the next question reads credentials again.
func (r *reading) ask(ctx context.Context, question func(*rest.Request) error) error {
	conn, err := r.cluster.connected()
	if err == nil {
		var client *rest.RESTClient
		if client, err = conn.client(r.Group); err == nil {
			namespace := r.Namespace
			if namespace == "" {
				namespace = conn.namespace
			}
			err = question(client.Get().NamespaceIfScoped(namespace, namespace != Everywhere).Resource(r.Name).MaxRetries(0))
		}
		if err != nil && ctx.Err() == nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			r.cluster.discard(conn)
		}
	}
	if err != nil && ctx.Err() == nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		r.status(plain(err))
	}
	return err
}

func (r *reading) options(o metav1.ListOptions) *metav1.ListOptions {
	o.LabelSelector, o.FieldSelector = r.Labels, r.Fields
	return &o
}

// ListWithContext reads a page.
func (r *reading) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if o.Continue == "" {
		r.count = 0
	}
	made := r.Resource.List()
	err := r.ask(ctx, func(q *rest.Request) error {
		ctx, cancel := context.WithTimeout(ctx, r.cluster.config.Timeout)
		defer cancel()
		err := q.VersionedParams(r.options(o), parameters).Do(ctx).Into(made)
		if err != nil && ctx.Err() != nil {
			err = errors.New("no response in " + r.cluster.config.Timeout.String())
		}
		if r.count += meta.LenList(made); err == nil && r.count > mostObjects {
			err = fmt.Errorf("there are more than %d %s", mostObjects, r.Name)
		}
		return err
	})
	return made, err
}

// WatchWithContext begins a watch.
func (r *reading) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	var made *watching
	err := r.ask(ctx, func(q *rest.Request) error {
		ctx, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(opening, cancel)
		o.Watch = true
		w, err := q.VersionedParams(r.options(o), parameters).Watch(ctx)
		switch {
		case !late.Stop() && err != nil:
			err = errors.New("no response in " + opening.String())
			fallthrough
		case err != nil:
			cancel()
			return err
		}
		made = &watching{Interface: w, cancel: cancel}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.status(nil)
	return made, nil
}

// List and Watch are for callers without a context, of which there are none.
func (r *reading) List(o metav1.ListOptions) (runtime.Object, error) {
	return r.ListWithContext(context.Background(), o)
}

func (r *reading) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return r.WatchWithContext(context.Background(), o)
}

// watching is a watch, with what ends its request.
type watching struct {
	watch.Interface
	cancel context.CancelFunc
	once   sync.Once
}

func (w *watching) Stop() {
	w.once.Do(func() {
		w.Interface.Stop()
		w.cancel()
	})
}

// plain is an error as it is told.
func plain(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Message != "" {
		return &refusal{status.Status().Code, status.Status().Message}
	}
	return err
}

// refusal is an error that the API server responds with.
type refusal struct {
	code int32
	text string
}

func (e *refusal) Error() string {
	return fmt.Sprintf("the API server responded %d: %s", e.code, e.text)
}

// Conflict reports whether an error says that an object is another one by now.
func Conflict(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.code == http.StatusConflict
}

// Missing reports whether an error says that there is no such thing, such as a resource
// that isn't installed.
func Missing(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && refused.code == http.StatusNotFound
}
