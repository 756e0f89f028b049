//go:build linux

package conformance

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clientset "k8s.io/client-go/kubernetes"
)

// cluster does what a cluster's controllers and nodes do, as far as the suite needs it: a
// pod for each Deployment, whatever number of replicas it asks for, and EndpointSlices of
// Services. Of pods with the suite's echo server a process is started on this machine, but
// of those for TCP only. A pod's name ends with two parts more than its Deployment's, as
// the suite takes them away to know which one responded.
type cluster struct {
	t       *testing.T
	client  clientset.Interface
	dir     string          // of the echo server and of what the pods log
	host    string          // address of this machine that may be an endpoint's: none of loopback
	pods    map[string]*pod // by Deployment
	exposed map[string]bool // Services that have their EndpointSlice
}

// pod is one of a Deployment.
type pod struct {
	namespace, name string
	labels          labels.Set
	ports           map[int32]int32 // of the container, and where they are listened on; nil: nothing runs
}

func startCluster(t *testing.T, client clientset.Interface) {
	c := &cluster{t: t, client: client, dir: t.TempDir(), host: address(t), pods: map[string]*pod{}, exposed: map[string]bool{}}
	out, err := exec.Command("go", "build", "-o", c.program(), "sigs.k8s.io/gateway-api/conformance/echo-basic").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	startNode(t, client, c.host, c.logOf)
	every(t, func(ctx context.Context) {
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			t.Logf("cluster: %v", err)
		}
	})
}

func (c *cluster) program() string { return filepath.Join(c.dir, "echo") }

// logOf is the file with what a pod has written.
func (c *cluster) logOf(namespace, pod string) string {
	return filepath.Join(c.dir, namespace+"-"+pod+".log")
}

// address is one of this machine that isn't a loopback address: these can't be endpoints.
func address(t *testing.T) string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	t.Skip("this machine has no IPv4 address but loopback")
	return ""
}

// look does what is left to do.
func (c *cluster) look(ctx context.Context) error {
	deployments, err := c.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range deployments.Items {
		d := &deployments.Items[i]
		key := d.Namespace + "/" + d.Name
		if c.pods[key] != nil {
			continue
		}
		p := &pod{namespace: d.Namespace, name: d.Name + "-of-node", labels: d.Spec.Template.Labels}
		c.pods[key] = p // one that fails isn't tried again
		if err := c.deploy(ctx, p, d); err != nil && ctx.Err() == nil {
			c.t.Errorf("the pod of %s: %v", key, err)
		}
	}
	services, err := c.client.CoreV1().Services("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range services.Items {
		if s := &services.Items[i]; len(s.Spec.Selector) > 0 && !c.exposed[s.Namespace+"/"+s.Name] {
			if err := c.expose(ctx, s); err != nil {
				return fmt.Errorf("%s/%s: %w", s.Namespace, s.Name, err)
			}
		}
	}
	return nil
}

// deploy makes the pod of a Deployment, ready.
func (c *cluster) deploy(ctx context.Context, p *pod, d *apps.Deployment) error {
	container := &d.Spec.Template.Spec.Containers[0]
	made, err := c.client.CoreV1().Pods(p.namespace).Create(ctx, &core.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: p.name, Labels: p.labels},
		Spec:       core.PodSpec{NodeName: nodeName, Containers: []core.Container{{Name: container.Name, Image: container.Image}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if strings.Contains(container.Image, "/echo-basic:") && !slices.ContainsFunc(container.Env, func(e core.EnvVar) bool { return e.Name == "TCP_ECHO_SERVER" }) {
		if err := c.start(p, container); err != nil {
			return err
		}
	}
	made.Status = core.PodStatus{Phase: core.PodRunning, PodIP: c.host, PodIPs: []core.PodIP{{IP: c.host}}, Conditions: []core.PodCondition{{Type: core.PodReady, Status: core.ConditionTrue}}}
	_, err = c.client.CoreV1().Pods(p.namespace).UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

// start starts the echo server of a pod. All share this machine, so each gets ports of its
// own, but for the one that the suite's manifests name by its number.
func (c *cluster) start(p *pod, container *core.Container) error {
	shift := int32(0)
	if p.namespace+"/"+container.Name != "gateway-conformance-infra/infra-backend-v1" {
		shift = 10_000 + 10*int32(len(c.pods))
	}
	p.ports = map[int32]int32{3000: 3000 + shift, 3001: 3001 + shift, 8443: 8443 + shift}
	for _, port := range p.ports {
		l, err := net.Listen("tcp", fmt.Sprint(":", port))
		if err != nil {
			return err // the server would end with its log alone saying why
		}
		l.Close()
	}
	cmd := exec.Command(c.program())
	cmd.Env = []string{
		fmt.Sprint("HTTP_PORT=", p.ports[3000]), fmt.Sprint("H2C_PORT=", p.ports[3001]), fmt.Sprint("HTTPS_PORT=", p.ports[8443]),
		"POD_NAME=" + p.name, "NAMESPACE=" + p.namespace,
	}
	for _, e := range container.Env {
		if e.ValueFrom == nil && !strings.HasPrefix(e.Name, "TLS_") {
			cmd.Env = append(cmd.Env, e.Name+"="+e.Value)
		}
	}
	log, err := os.Create(c.logOf(p.namespace, p.name))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return nil
}

// expose makes the EndpointSlice of a Service.
func (c *cluster) expose(ctx context.Context, s *core.Service) error {
	selector := labels.SelectorFromSet(maps.Clone(s.Spec.Selector))
	for _, p := range c.pods {
		if p.namespace != s.Namespace || p.ports == nil || !selector.Matches(p.labels) {
			continue
		}
		slice := &discovery.EndpointSlice{
			ObjectMeta:  metav1.ObjectMeta{Name: s.Name + "-made", Labels: map[string]string{discovery.LabelServiceName: s.Name}},
			AddressType: discovery.AddressTypeIPv4,
			Endpoints: []discovery.Endpoint{{
				Addresses: []string{c.host}, Conditions: discovery.EndpointConditions{Ready: new(true)},
				TargetRef: &core.ObjectReference{Kind: "Pod", Namespace: p.namespace, Name: p.name},
			}},
		}
		for i := range s.Spec.Ports {
			port := &s.Spec.Ports[i]
			if at, ok := p.ports[port.TargetPort.IntVal]; ok {
				slice.Ports = append(slice.Ports, discovery.EndpointPort{Name: &port.Name, Port: &at, Protocol: &port.Protocol, AppProtocol: port.AppProtocol})
			}
		}
		if _, err := c.client.DiscoveryV1().EndpointSlices(s.Namespace).Create(ctx, slice, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		c.exposed[s.Namespace+"/"+s.Name] = true
	}
	return nil
}
