package nullserver

import (
	"context"
	"errors"
	"sync"
)

// Serve responds on an address with so many loops, each with a thread of its own, until
// ctx ends.
func Serve(ctx context.Context, address string, loops int) error {
	servers, err := ListenEach(address, max(loops, 1))
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	errs := make([]error, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			defer end() // one that can't go on ends them all
			errs[i] = s.Serve(ctx)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
