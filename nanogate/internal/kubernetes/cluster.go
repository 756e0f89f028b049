package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/flowcontrol"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/shared"
)

// cluster is a Kubernetes cluster that is in use.
type cluster struct {
	config  *config.KubernetesCluster
	account string              // directory with the credentials of the gateway's pod
	follows shared.Map[*follow] // by what they find

	mu         sync.Mutex
	connection *connection
}

// connection is a way to talk to an API server: credentials as they were read, and
// connections that all requests share.
type connection struct {
	config    *rest.Config
	namespace string // that is meant where none is named
	http      *http.Client

	mu      sync.Mutex
	clients map[schema.GroupVersion]*rest.RESTClient
}

// How many requests a gateway begins, a second and at once: each Service is two at first
// and one each 5 to 10 minutes.
const (
	mostRequests = 50
	mostAtOnce   = 100
)

// connected returns the connection, which is made when it is first asked for. It waits
// for nobody.
func (c *cluster) connected() (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connection != nil {
		return c.connection, nil
	}
	made, err := connect(c.config, c.account)
	if err == nil {
		c.connection = made
	}
	return made, err
}

// discard ends the use of a connection, if it is still the one in use, or of any: the
// next one reads files with credentials and authorities again.
func (c *cluster) discard(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn == nil || c.connection == conn {
		c.connection = nil
	}
}

// Check reads the kubeconfig file that a cluster is talked to with. It connects to nobody.
// What a pod is given is not looked at: a configuration may be checked elsewhere.
func Check(c *config.KubernetesCluster) error {
	if c.Kubeconfig == "" {
		return nil
	}
	_, err := connect(c, "")
	return err
}

func connect(c *config.KubernetesCluster, account string) (*connection, error) {
	made := &connection{clients: map[schema.GroupVersion]*rest.RESTClient{}}
	var err error
	if c.Kubeconfig != "" {
		made.config, made.namespace, err = fromKubeconfig(c)
	} else {
		made.config, made.namespace, err = inCluster(account)
	}
	if err != nil {
		return nil, err
	}
	made.config.UserAgent = "nanogate"
	made.config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(mostRequests, mostAtOnce)
	made.config.WarningHandler = rest.NoWarnings{}
	made.http, err = rest.HTTPClientFor(made.config)
	return made, err
}

// fromKubeconfig reads a kubeconfig file.
func fromKubeconfig(c *config.KubernetesCluster) (*rest.Config, string, error) {
	file, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err == nil {
		err = clientcmd.ResolveLocalPaths(file)
	}
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig %s: %w", c.Kubeconfig, err)
	}
	name := cmp.Or(c.Context, file.CurrentContext)
	meant := file.Contexts[name]
	if meant == nil {
		return nil, "", fmt.Errorf("kubeconfig %s: there is no context %q", c.Kubeconfig, name)
	}
	if meant.AuthInfo != "" && file.AuthInfos[meant.AuthInfo] == nil { // else nobody would be logged in
		return nil, "", fmt.Errorf("kubeconfig %s: there is no user %q", c.Kubeconfig, meant.AuthInfo)
	}
	client := clientcmd.NewNonInteractiveClientConfig(*file, name, &clientcmd.ConfigOverrides{}, nil)
	made, err := client.ClientConfig()
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig %s: %w", c.Kubeconfig, err)
	}
	return made, cmp.Or(meant.Namespace, "default"), nil
}

// inCluster is what a pod is given: the server's address in the environment, token,
// authority and namespace as files. The token's file is read again each minute, as
// tokens are replaced before they expire.
func inCluster(account string) (*rest.Config, string, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, "", errors.New("this is no pod of a Kubernetes cluster (KUBERNETES_SERVICE_HOST and _PORT aren't set): name a kubeconfig file")
	}
	token, ca := filepath.Join(account, "token"), filepath.Join(account, "ca.crt")
	for _, file := range []string{token, ca} {
		if b, err := os.ReadFile(file); err != nil {
			return nil, "", err
		} else if len(b) == 0 {
			return nil, "", fmt.Errorf("%s is empty", file)
		}
	}
	namespace, err := os.ReadFile(filepath.Join(account, "namespace"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", err
	}
	return &rest.Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		BearerTokenFile: token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: ca},
	}, cmp.Or(strings.TrimSpace(string(namespace)), "default"), nil
}

// client returns what asks for resources of a group.
func (c *connection) client(group schema.GroupVersion) (*rest.RESTClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if made := c.clients[group]; made != nil {
		return made, nil
	}
	of := rest.CopyConfig(c.config)
	of.GroupVersion = &group
	of.APIPath = "/apis"
	if group.Group == "" {
		of.APIPath = "/api"
	}
	of.NegotiatedSerializer = codecs
	made, err := rest.RESTClientForConfigAndClient(of, c.http)
	if err == nil {
		c.clients[group] = made
	}
	return made, err
}
