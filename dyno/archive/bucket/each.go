package bucket

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel is how many objects are on their way at once.
const parallel = 4

// each calls do with 0 to n−1, a few at once. After the first error, which is
// returned, no more are begun and the others' contexts are cancelled.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var begun atomic.Int64
	var workers sync.WaitGroup
	for range min(parallel, n) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(begun.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
