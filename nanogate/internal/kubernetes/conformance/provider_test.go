//go:build linux

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gw "sigs.k8s.io/gateway-api/apis/v1"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/discovery"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/kubernetes"
	_ "dyno.example/nanogate/internal/kubernetes/gatewayapi" // the routes that are followed
)

// pause is between two looks at what there is.
const pause = 300 * time.Millisecond

// every calls look now and then until the test ends.
func every(t *testing.T, look func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for ctx.Err() == nil {
			look(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
}

// provider starts a nanogate for each Gateway of the class, at an address of its own, which
// listens on the ports of the Gateway's listeners.
type provider struct {
	t          *testing.T
	kubeconfig string
	clusters   *kubernetes.Clusters
	running    map[types.NamespacedName]*running
	next       int // address
}

// running is one that was started.
type running struct {
	gateway *gateway.Gateway
	address string
	file    string
}

func startProvider(t *testing.T, c client.Client, kubeconfig string) {
	p := &provider{t: t, kubeconfig: kubeconfig, clusters: kubernetes.New(kubernetes.Options{Log: logger()}), running: map[types.NamespacedName]*running{}}
	t.Cleanup(func() { // when nobody looks any more
		for _, r := range p.running {
			r.stop()
		}
	})
	// The class is accepted before there is a Gateway: by one that waits for its own.
	p.apply(types.NamespacedName{Namespace: "default", Name: "none"}, nil)
	every(t, func(ctx context.Context) {
		var all gw.GatewayList
		if err := c.List(ctx, &all); err != nil {
			return
		}
		there := map[types.NamespacedName]bool{{Namespace: "default", Name: "none"}: true}
		for i := range all.Items {
			if g := &all.Items[i]; g.Spec.GatewayClassName == class && g.DeletionTimestamp == nil {
				name := types.NamespacedName{Namespace: g.Namespace, Name: g.Name}
				there[name] = true
				p.apply(name, g.Spec.Listeners)
			}
		}
		for name, r := range p.running {
			if !there[name] {
				r.stop()
				delete(p.running, name)
			}
		}
	})
}

func logger() *slog.Logger {
	level := slog.LevelError
	if testing.Verbose() {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// apply starts the nanogate of a Gateway, or has it listen as its listeners say now.
func (p *provider) apply(name types.NamespacedName, listeners []gw.Listener) {
	r := p.running[name]
	if r == nil {
		p.next++
		r = &running{address: fmt.Sprintf("127.0.%d.%d", 1+p.next/250, 1+p.next%250)}
		p.running[name] = r
	}
	file := p.file(name, r.address, listeners)
	if file == r.file {
		return
	}
	r.file = file
	c, err := config.Parse("conformance.yaml", []byte(file))
	if err != nil {
		p.t.Errorf("%s: %v", file, err)
		return
	}
	if r.gateway != nil {
		if problems := r.gateway.Apply(c); len(problems) > 0 {
			p.t.Errorf("%s: %v", name, problems)
		}
		return
	}
	log := logger().With("gateway", name)
	found := discovery.NewSet(discovery.Options{Log: log})
	found.Put("kubernetes", p.clusters)
	if r.gateway, err = gateway.Start(c, gateway.Options{Loops: 1, Log: log, Found: found}); err != nil {
		p.t.Errorf("%s: %v", name, err)
	}
}

// file is the configuration of a Gateway's nanogate.
func (p *provider) file(name types.NamespacedName, address string, listeners []gw.Listener) string {
	type listen struct {
		Address string `json:"address"`
		TLS     any    `json:"tls"`
	}
	all, seen := []listen{}, map[int32]bool{}
	for _, l := range listeners {
		if seen[l.Port] {
			continue
		}
		one := listen{fmt.Sprintf("%s:%d", address, l.Port), false}
		switch l.Protocol {
		case gw.HTTPSProtocolType:
			one.TLS = map[string]bool{"kubernetes": true}
		case gw.HTTPProtocolType:
		default:
			continue
		}
		seen[l.Port] = true
		all = append(all, one)
	}
	if len(all) == 0 {
		all = append(all, listen{address + ":80", false})
	}
	b, err := json.Marshal(map[string]any{
		"listen":     all,
		"kubernetes": map[string]any{"gateway": name.String(), "addresses": address, "kubeconfig": p.kubeconfig},
		"client":     map[string]any{"drain": "1s"},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (r *running) stop() {
	if r.gateway == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = r.gateway.Shutdown(ctx) // clients that are left are cut
}
