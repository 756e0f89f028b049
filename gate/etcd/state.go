package etcd

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dyno/gate/config"
)

// state is the directory with what was read last. A nil state keeps nothing.
type state struct{ dir string }

func newState(dir string) *state {
	if dir == "" {
		return nil
	}
	return &state{dir}
}

// of returns the file of a prefix or key of a cluster.
func (s *state) of(c *config.EtcdCluster, keys string) *kept {
	if s == nil {
		return nil
	}
	endpoints := slices.Sorted(slices.Values(c.Endpoints))
	sum := sha256.Sum256([]byte(strings.Join(endpoints, " ") + "\x00" + keys))
	return &kept{filepath.Join(s.dir, "etcd-"+hex.EncodeToString(sum[:12])+".json")}
}

// kept is one file of what was read last.
type kept struct{ path string }

// said is what stands in it: what etcd said, with nothing of how it is logged in to.
type said struct {
	Version   int           `json:"version"`
	From      string        `json:"from"` // for who looks at it
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

const (
	saidVersion = 1
	mostSaid    = 64 << 20 // bytes of a file
)

func saidOf(s set, from string, cluster uint64, revision int64) *said {
	made := &said{Version: saidVersion, From: from, Read: time.Now().UTC(), Cluster: cluster, Revision: revision}
	for i := range s {
		if e := &s[i]; e.err == nil {
			made.Instances = append(made.Instances, keptAddress{e.key, e.Address.String(), e.Weight, e.Zone})
		}
	}
	return made
}

// set is the instances as they were.
func (s *said) set() set {
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

// load reads the file; nil if there is none.
func (k *kept) load() (*said, error) {
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostSaid))
	if err != nil {
		return nil, err
	}
	made := new(said)
	if err := json.Unmarshal(b, made); err != nil {
		return nil, fmt.Errorf("%s: %w", k.path, err)
	}
	if made.Version != saidVersion {
		return nil, fmt.Errorf("%s: expected version %d, got %d", k.path, saidVersion, made.Version)
	}
	return made, nil
}

// save writes the file so that it is there as a whole or as it was, whenever the machine
// stops. Nobody else may read it.
func (k *kept) save(s *said) error {
	b, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	dir := filepath.Dir(k.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".etcd-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), k.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync() // or the name may be lost
}
