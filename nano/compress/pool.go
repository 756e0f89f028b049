package compress

import (
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dyno.example/nano"
)

// pool keeps encoders: making one costs far more than using it. The encoder of a
// response that was cut isn't put back but left to the garbage collector.
type pool struct{ encoders sync.Pool }

// coding has an encoder from the beginning of a response's content to its end.
type coding struct {
	nano.Filter
	home *pool
}

func (c *coding) Reset(next io.Writer) {
	c.Filter = c.home.encoders.Get().(nano.Filter)
	c.Filter.Reset(next)
}

func (c *coding) Close() error {
	err := c.Filter.Close()
	if err == nil {
		c.Filter.Reset(nil) // lets go of the response
		c.home.encoders.Put(c.Filter)
	}
	return err
}

func newPool(make func() (nano.Filter, error)) *pool {
	p := &pool{}
	p.encoders.New = func() any {
		f, err := make()
		if err != nil {
			panic("compress: " + err.Error()) // the levels have been checked
		}
		return f
	}
	return p
}

func newGzipPool(level int) *pool {
	return newPool(func() (nano.Filter, error) { return gzip.NewWriterLevel(nil, level) })
}

// newZstdPool makes encoders that work on the handler's goroutine, with a window
// that clients have to take (RFC 9659: 8 MiB at most).
func newZstdPool(level int) *pool {
	return newPool(func() (nano.Filter, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.EncoderLevel(level)))
	})
}

func newBrotliPool(level int) *pool {
	return newPool(func() (nano.Filter, error) { return brotli.NewWriterLevel(nil, level), nil })
}
