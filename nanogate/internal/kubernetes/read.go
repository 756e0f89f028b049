package kubernetes

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

// Cluster is a cluster in use, for who reads other things of it than endpoints.
type Cluster struct {
	clusters *Clusters
	cluster  *cluster
}

// Open begins a use of a cluster. [Cluster.Close] ends it. It connects to nobody.
func (s *Clusters) Open(c *config.KubernetesCluster) *Cluster { return &Cluster{s, s.use(c)} }

// Close ends the use.
func (c *Cluster) Close() { c.clusters.leave(c.cluster) }

// File is where what was made of what is read is kept on disk; nil: nowhere.
func (c *Cluster) File(kind string, keys ...string) *state.File {
	return c.clusters.state.File(kind, keys...)
}

// Namespace is the one that is meant where none is named.
func (c *Cluster) Namespace() (string, error) {
	conn, err := c.cluster.connected()
	if err != nil {
		return "", err
	}
	return conn.namespace, nil
}

// Handler takes the objects of a resource. All of it is called on one goroutine.
type Handler[T any] struct {
	Replace func(all []*T)        // these are all there are
	Change  func(o *T, gone bool) // one is new, has changed, or is gone
	Status  func(err error)       // nil: the resource is watched; else why not, and what is known may be stale
}

// Read hands on what there is of a resource, and what changes, until ctx ends.
func Read[T any](ctx context.Context, c *Cluster, r Resource, h Handler[T]) {
	c.cluster.read(ctx, r, c.clusters.timing, objects[T]{replace: h.Replace, change: h.Change, version: func(string) {}}, h.Status)
}

// PutStatus writes an object's status. It fails if the object is another one by now.
func (c *Cluster) PutStatus(ctx context.Context, r Resource, namespace, name string, o runtime.Object) error {
	conn, err := c.cluster.connected()
	if err != nil {
		return err
	}
	client, err := conn.client(r.Group)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.cluster.config.Timeout)
	defer cancel()
	return plain(request(client, types.NamespacedName{Namespace: namespace, Name: name}, r.Name).Body(o).Do(ctx).Error())
}

func request(client *rest.RESTClient, at types.NamespacedName, resource string) *rest.Request {
	return client.Put().NamespaceIfScoped(at.Namespace, at.Namespace != "").Resource(resource).Name(at.Name).SubResource("status").MaxRetries(0)
}
