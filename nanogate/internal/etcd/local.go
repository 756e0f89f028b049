package etcd

import (
	"errors"
	"sync"
)

// Local is an etcd server within this process, to try discovery out.
type Local interface {
	Where() string        // host:port that clients connect to
	Failed() <-chan error // receives why it has stopped, unless it was stopped
	Close()
}

// LocalDriver starts such a server. It is much that most programs don't need, so it
// registers itself where it is linked in.
type LocalDriver struct {
	CheckListen func(address string) error // says what is wrong with an address to listen on
	Start       func(dir, listen string) (Local, error)
}

var local struct {
	mu     sync.Mutex
	driver *LocalDriver
}

// RegisterLocal is for the init of the server's package.
func RegisterLocal(d LocalDriver) {
	local.mu.Lock()
	defer local.mu.Unlock()
	if local.driver != nil {
		panic("etcd: there are two servers to be run within this process")
	}
	local.driver = &d
}

// ErrNoLocal says that no server is linked in.
var ErrNoLocal = errors.New("this program has no etcd server in it (import dyno.example/nanogate/with/embeddedetcd)")

// LocalServer is the server that is linked in.
func LocalServer() (LocalDriver, error) {
	local.mu.Lock()
	defer local.mu.Unlock()
	if local.driver == nil {
		return LocalDriver{}, ErrNoLocal
	}
	return *local.driver, nil
}
