package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"

	"dyno.example/dyno/archive"
)

// Progress is how far the copying of a run has come.
type Progress struct {
	File        string // copied just now
	Done, Total int    // files of the run
}

// Push copies a run into the bucket and returns how many files it had to send: none if
// the run is there. The sums come last; until then the run is not part of the archive.
// What an earlier attempt has left there is not sent again, so that a push can be
// repeated until it succeeds. Observe, which may be nil, is called for each file that
// was sent, one at a time.
func (b *Bucket) Push(ctx context.Context, r *archive.Record, observe func(Progress)) (sent int, err error) {
	there := map[string]int64{}
	prefix := r.Name.String() + "/"
	err = b.objects.list(ctx, prefix, false, func(key string, size int64) { there[strings.TrimPrefix(key, prefix)] = size })
	if err != nil {
		return 0, fmt.Errorf("pushing run %s to %s: %w; nothing was sent, and %s is as it was", r.ID, b, err, r.Dir)
	}
	missing, err := absent(r, there)
	if err != nil {
		return 0, fmt.Errorf("pushing run %s to %s: %w", r.ID, b, err)
	}
	total := len(r.Sums) + 1
	t := &transfer{done: len(r.Sums) - len(missing), total: total, observe: observe}
	err = each(ctx, len(missing), func(ctx context.Context, i int) error { return b.upload(ctx, r, missing[i], t) })
	if err == nil && there[archive.SumsFile] != int64(len(r.Sums.Bytes())) {
		err = b.uploadSums(ctx, r, t)
		missing = append(missing, archive.SumsFile)
	}
	if err != nil {
		return t.sent, fmt.Errorf("pushing run %s to %s: %w; %d of %d files are there, and the run is listed there only when all are; %s is as it was", r.ID, b, err, t.done, total, r.Dir)
	}
	return len(missing), nil
}

// absent returns the files of the record that are not there in their size. Those
// that are were written to a key that holds the run's address, and wholly: their
// content is the same.
func absent(r *archive.Record, there map[string]int64) ([]string, error) {
	var missing []string
	for _, file := range r.Sums.Names() {
		info, err := os.Stat(r.Path(file))
		if err != nil {
			return nil, err
		}
		if size, ok := there[file]; !ok || size != info.Size() {
			missing = append(missing, file)
		}
	}
	return missing, nil
}

func (b *Bucket) upload(ctx context.Context, r *archive.Record, file string, t *transfer) error {
	f, err := os.Open(r.Path(file))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := b.objects.put(ctx, key(r.Name, file), f, info.Size(), r.Sums[file]); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	t.count(file)
	return nil
}

// uploadSums makes the run visible.
func (b *Bucket) uploadSums(ctx context.Context, r *archive.Record, t *transfer) error {
	sums := r.Sums.Bytes()
	err := b.objects.put(ctx, key(r.Name, archive.SumsFile), bytes.NewReader(sums), int64(len(sums)), digest(sums))
	if err != nil {
		return fmt.Errorf("%s: %w", archive.SumsFile, err)
	}
	t.count(archive.SumsFile)
	return nil
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// transfer counts the files that have been copied.
type transfer struct {
	mu          sync.Mutex
	done, total int
	sent        int
	observe     func(Progress)
}

func (t *transfer) count(file string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.sent++
	if t.observe != nil {
		t.observe(Progress{File: file, Done: t.done, Total: t.total})
	}
}
