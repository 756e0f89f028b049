package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestEtcd(t *testing.T) {
	c, err := Parse("/conf/f.yaml", []byte("listen: 127.0.0.1:1\nroutes: [{to: u}]\nupstreams: {u: {etcd: {endpoints: [\"etcd-1:2379\", \"https://[::1]:2380/\"], prefix: /s/, user: {env: USER_OF_ETCD}, password: {file: ./pw}, tls: {ca: ca.pem, cert: c.pem, key: /c.key, name: etcd}, timeout: 1s}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := EtcdCluster{
		Endpoints: []string{"https://etcd-1:2379", "https://[::1]:2380"}, User: Secret{Env: "USER_OF_ETCD"}, Password: Secret{File: "/conf/pw"},
		CA: "/conf/ca.pem", Cert: "/conf/c.pem", Key: "/c.key", Name: "etcd", Timeout: time.Second,
	}
	e := c.Upstreams[0].Etcd
	if e.Prefix != "/s/" || e.At.Line != 3 || !reflect.DeepEqual(e.Cluster, want) || !e.Cluster.TLS() {
		t.Errorf("%+v", e)
	}
	other := want
	if other.Endpoints = []string{want.Endpoints[1], want.Endpoints[0]}; other.Same() != want.Same() {
		t.Error("the order of endpoints makes another cluster")
	}
	if other.User.Env = "OTHER"; other.Same() == want.Same() {
		t.Error("another user has the same connection")
	}
}

func TestEtcdEndpoint(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:2379": "http://127.0.0.1:2379", "http://a:1/": "http://a:1", "https://a.b:1": "https://a.b:1", "[::1]:1": "http://[::1]:1",
		"a": "host:port", "a:0": "host:port", ":1": "host:port", "ftp://a:1": "the scheme", "http://a:1/x": "host:port", "http://u:p@a:1": "host:port", "a:1?x": "host:port",
	} {
		got, err := EtcdEndpoint(text, false)
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != want || err != nil && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
