package etcd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

// fileOf returns the file of a prefix or key of a cluster.
func fileOf(d *state.Dir, c *config.EtcdCluster, keys string) *state.File {
	endpoints := slices.Sorted(slices.Values(c.Endpoints))
	return d.File("etcd", strings.Join(endpoints, " "), keys)
}

// savedState is the content of a file: the last state that was read from etcd, without
// credentials.
type savedState struct {
	Version   int           `json:"version"`
	From      string        `json:"from"` // for human readers
	Read      time.Time     `json:"read"`
	Cluster   uint64        `json:"cluster"` // etcd's number of it
	Revision  int64         `json:"revision"`
	Instances []keptAddress `json:"instances,omitempty"`
	Document  string        `json:"document,omitempty"`
}

// keptAddress is an instance as it is kept: what is used of it, and no other metadata.
type keptAddress struct {
	Key     string `json:"key"`
	Address string `json:"address"`
	Weight  int    `json:"weight"`
	Zone    string `json:"zone,omitempty"`
}

const savedStateVersion = 1

func savedStateOf(s set, from string, cluster uint64, revision int64) *savedState {
	made := &savedState{Version: savedStateVersion, From: from, Read: time.Now().UTC(), Cluster: cluster, Revision: revision}
	for i := range s {
		if e := &s[i]; e.err == nil {
			made.Instances = append(made.Instances, keptAddress{e.key, e.Address.String(), e.Weight, e.Zone})
		}
	}
	return made
}

// set is the instances as they were.
func (s *savedState) set() set {
	made := make(set, 0, len(s.Instances))
	for _, k := range s.Instances {
		e := entry{key: k.Key}
		e.Weight, e.Zone = min(max(1, k.Weight), 1000), k.Zone
		if e.Address, e.err = parseAddress(k.Address); e.err == nil {
			made = append(made, e)
		}
	}
	slices.SortFunc(made, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return made
}

// load reads what was read last; nil if nothing is kept.
func load(f *state.File) (*savedState, error) {
	made := new(savedState)
	if there, err := f.Load(made); err != nil || !there {
		return nil, err
	}
	if made.Version != savedStateVersion {
		return nil, fmt.Errorf("%s: expected version %d, got %d", f.Name(), savedStateVersion, made.Version)
	}
	return made, nil
}
