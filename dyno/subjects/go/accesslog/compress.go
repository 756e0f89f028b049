package main

import (
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// batches is how many there are to send, in turns: so many that no figure is one batch's.
const batches = 48

// sender responds with batches of lines, compressed, as who collects logs sends them on.
type sender struct {
	batches func() *[batches][]byte // made the first time
	next    atomic.Uint64
}

func newSender(s settings) *sender {
	return &sender{batches: sync.OnceValue(func() *[batches][]byte {
		made, t := new([batches][]byte), newTraffic(uint64(time.Now().UnixNano()), s.ids)
		for i := range made {
			made[i] = t.batch(s.batch)
		}
		return made
	})}
}

// codecs compress a batch. The zstd is klauspost/compress, which has four levels and takes its
// best for zstd's 12; by its documentation that is about zstd's 11.
func codecs() map[string]func(batch []byte) []byte {
	all := map[string]func([]byte) []byte{
		"none":   func(batch []byte) []byte { return batch },
		"snappy": func(batch []byte) []byte { return snappy.Encode(nil, batch) },
	}
	for _, level := range []int{3, 12} {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)))
		if err != nil {
			panic(err) // options that don't go together
		}
		all["zstd-"+strconv.Itoa(level)] = func(batch []byte) []byte { return encoder.EncodeAll(batch, nil) }
	}
	return all
}

// send responds with the next batch.
func (s *sender) send(compress func([]byte) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		body := compress(s.batches()[s.next.Add(1)%batches])
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}
