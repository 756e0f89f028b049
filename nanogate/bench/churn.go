//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"dyno.example/dyno/bench/rounds"
)

// Churn: instances in etcd come and go, a thousand times a second, under traffic. There
// are a few keys, and each change puts an instance of another address in a key's place.
// All addresses are of one server that says at which it was asked, so each response
// tells what the gateway knew.
const (
	churnKeys     = 8
	churnChanges  = 1000 // a second, of all keys together
	churnRequests = 4000 // a second
	churnClients  = 32
	churnPrefix   = "/services/churn/"
)

func churnCampaign() campaign {
	return campaign{
		name: "churn", seconds: 60, load: (*lab).churn,
		gateways: []gateway{{name: nanogate, command: func(l *lab, address string) []string {
			return []string{l.nanogate, "run", "--loops", "1", "--state", "none", "-c", l.write("churn.yaml", fmt.Sprintf(churnFile, address, l.store(), churnPrefix))}
		}}},
		question: fmt.Sprintf("%d instances below a prefix of etcd are replaced %d times a second under %d requests a second: how many requests fail, and how long is it from a change's write to the first response of who was written?",
			churnKeys, churnChanges, churnRequests),
		columns: []rounds.Column{
			rounds.Shown("failed", "failed requests", 3), rounds.Shown("delay_p50_us", "delay p50, µs", 3), rounds.Shown("delay_p99_us", "delay p99, µs", 3),
			rounds.Shown("changes_per_s", "changes/s", 4), rounds.Shown("requests", "requests", 4), rounds.Shown("unseen", "changes never seen", 3),
		},
	}
}

const churnFile = `listen: %s
routes: [{to: churn}]
upstreams: {churn: {etcd: {endpoints: ["%s"], prefix: %s}, balance: round-robin}}
`

// store is where etcd will listen for the next trial.
func (l *lab) store() string {
	l.etcd, _ = rounds.FreeAddress() // without one the file is wrong, which the trial says
	return l.etcd
}

// sighting is a response: which change of which key had come to the gateway by then.
type sighting struct {
	at          time.Duration // since the trial began
	key, change int
	fine        bool
}

// churn changes the instances and asks for them meanwhile.
func (l *lab) churn(ctx context.Context, c *campaign, s *rounds.Server, t *rounds.Trial) error {
	d := time.Duration(l.Options.Length(c.seconds)) * time.Second
	t.Command = []string{strconv.Itoa(churnChanges) + " changes/s", strconv.Itoa(churnRequests) + " requests/s", d.String()}
	dir := filepath.Join(l.Dir, "etcd-"+strconv.FormatInt(time.Now().UnixNano(), 36))
	store, err := rounds.StartServer(ctx, "etcd", l.Options.GeneratorCPU, func(address string) []string {
		return []string{l.nanogate, "run", "--listen", address, "--to", "http://" + address, "--loops", "1", "--state", "none", "--embedded-etcd", dir, "--embedded-etcd-listen", l.etcd}
	}, nil)
	if err != nil {
		return err
	}
	defer store.Stop(2 * time.Second)
	instances, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		return err
	}
	defer instances.Close()
	go func() { _ = http.Serve(instances, http.HandlerFunc(whoAmI)) }() // until it is closed
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + l.etcd}, Context: ctx, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer client.Close()
	_, port, err := net.SplitHostPort(instances.Addr().String())
	if err != nil {
		return err
	}
	put := func(key, change int) error {
		_, err := client.Put(ctx, churnPrefix+strconv.Itoa(key), fmt.Sprintf(`{"Op":0,"Addr":"%s:%s"}`, churnAddress(key, change), port))
		return err
	}
	for key := range churnKeys {
		if err := put(key, 0); err != nil {
			return err
		}
	}
	if err := serving(ctx, "http://"+s.Address+"/"); err != nil {
		return err
	}

	var written [][]time.Duration
	var seen []sighting
	if _, err := l.Watched(t, func() (time.Duration, error) {
		own := rounds.ProcessCPU(store.PID())
		written, seen, err = changing(ctx, d, put, "http://"+s.Address+"/")
		return rounds.ProcessCPU(store.PID()) - own, err
	}, s); err != nil {
		return err
	}
	t.Figures = churnFigures(written, seen, d)
	return nil
}

// changing replaces the instances and looks meanwhile who responds at a URL. It returns, by
// key, when the write of each change began, and what was seen.
func changing(ctx context.Context, d time.Duration, put func(key, change int) error, url string) (written [][]time.Duration, seen []sighting, err error) {
	began := time.Now()
	var writers sync.WaitGroup
	written, failures := make([][]time.Duration, churnKeys), make([]error, churnKeys)
	for key := range churnKeys {
		writers.Go(func() {
			written[key] = append(written[key], 0)
			every := time.Second * churnKeys / churnChanges
			for change := 1; ctx.Err() == nil; change++ {
				due := time.Duration(change)*every + time.Duration(key)*every/churnKeys
				if due >= d {
					return
				}
				time.Sleep(due - time.Since(began))
				written[key] = append(written[key], time.Since(began))
				if err := put(key, change); err != nil {
					failures[key] = err
					return
				}
			}
		})
	}
	seen = look(ctx, url, began, d)
	writers.Wait()
	return written, seen, errors.Join(append(failures, ctx.Err())...)
}

// churnAddress is the instance of a change: each key has a network of loopback addresses.
func churnAddress(key, change int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, byte(key + 1), byte(change >> 8), byte(change)})
}

// whoAmI responds with the address that was asked.
func whoAmI(w http.ResponseWriter, r *http.Request) {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		_, _ = io.WriteString(w, at.IP.String()) // who has gone doesn't want it
	}
}

// serving waits until a URL responds 200.
func serving(ctx context.Context, url string) error {
	for range 1000 {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s doesn't respond 200 within 10 s", url)
}

// look asks a gateway again and again, and notes who responds.
func look(ctx context.Context, url string, began time.Time, d time.Duration) (all []sighting) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: churnClients}}
	defer client.CloseIdleConnections()
	by := make([][]sighting, churnClients)
	var looking sync.WaitGroup
	for i := range churnClients {
		looking.Go(func() {
			every := time.Second * churnClients / churnRequests
			for n := 0; ctx.Err() == nil; n++ {
				due := time.Duration(n)*every + time.Duration(i)*every/churnClients
				if due >= d {
					return
				}
				time.Sleep(due - time.Since(began))
				at := sighting{}
				if resp, err := client.Get(url); err == nil {
					text, err := io.ReadAll(resp.Body)
					resp.Body.Close()
					at.key, at.change, at.fine = churnOf(string(text))
					at.fine = at.fine && err == nil && resp.StatusCode == http.StatusOK
				}
				at.at = time.Since(began)
				by[i] = append(by[i], at)
			}
		})
	}
	looking.Wait()
	all = slices.Concat(by...)
	slices.SortFunc(all, func(a, b sighting) int { return int(a.at - b.at) })
	return all
}

// churnOf is the key and change of an instance's address.
func churnOf(text string) (key, change int, ok bool) {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is4() {
		return 0, 0, false
	}
	b := a.As4()
	key, change = int(b[1])-1, int(b[2])<<8|int(b[3])
	return key, change, key >= 0 && key < churnKeys
}

// churnFigures sums up a trial. written is, by key, when the write of each change began;
// seen is in order of time. A change has come when a response shows it or a later one of
// its key.
func churnFigures(written [][]time.Duration, seen []sighting, d time.Duration) map[string]float64 {
	next := make([]int, len(written)) // by key: the first change that hasn't come
	var delays []time.Duration
	changes, failed := 0, 0
	for key := range written {
		next[key] = 1
		changes += len(written[key]) - 1
	}
	for _, s := range seen {
		if !s.fine {
			failed++
			continue
		}
		for ; next[s.key] <= s.change && next[s.key] < len(written[s.key]); next[s.key]++ {
			delays = append(delays, s.at-written[s.key][next[s.key]])
		}
	}
	slices.Sort(delays)
	f := map[string]float64{
		"requests": float64(len(seen)), "failed": float64(failed), "changes": float64(changes),
		"changes_per_s": float64(changes) / d.Seconds(), "unseen": float64(changes - len(delays)),
	}
	if n := len(delays); n > 0 {
		f["delay_p50_us"], f["delay_p99_us"] = float64(delays[n/2])/1e3, float64(delays[n*99/100])/1e3
	}
	return f
}
