package config

import (
	"reflect"
	"testing"
	"time"
)

func TestKubernetes(t *testing.T) {
	c, err := Parse("/conf/f.yaml", []byte("listen: 127.0.0.1:1\nroutes: [{to: u}, {to: v}]\nupstreams:\n  u: {kubernetes: {service: users}}\n  v: {kubernetes: {service: users, namespace: shop, port: 80, protocol: h2c, family: ipv6, kubeconfig: ./dev, context: a, timeout: 1s}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	plain, full := c.Upstreams[0].Kubernetes, c.Upstreams[1].Kubernetes
	if want := (Kubernetes{At: plain.At, Service: "users", Cluster: KubernetesCluster{Timeout: 10 * time.Second}}); !reflect.DeepEqual(*plain, want) {
		t.Errorf("%+v", plain)
	}
	want := Kubernetes{
		At: full.At, Service: "users", Namespace: "shop", Port: "80", Protocol: TalkH2C, Family: OnlyIPv6,
		Cluster: KubernetesCluster{Kubeconfig: "/conf/dev", Context: "a", Timeout: time.Second},
	}
	if !reflect.DeepEqual(*full, want) {
		t.Errorf("%+v", full)
	}
	if plain.Same() == full.Same() || plain.Cluster.Same() == full.Cluster.Same() {
		t.Error("two are followed as one")
	}
}
