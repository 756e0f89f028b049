package probe

import (
	"fmt"
	"time"

	"dyno.example/nano/wire/clock"
)

// The kernel adds PSS up page by page, while the process can't change what it has
// mapped: of a large one that takes milliseconds. So it is read rarely: at the first
// snapshot and the last, and in between only while a reading takes less than a
// millisecond, and so seldom that it takes no more than a thousandth of the time.
const (
	pssQuick   = time.Millisecond
	pssShare   = 1000
	pssMembers = 64 // processes it is read of; of more it is missing
)

// pssReader reads the proportional set size of a tree: memory that is mapped, where each
// page counts for the share of one of the processes that have it mapped. Unlike with
// RSS, what a tree's processes share counts once.
type pssReader struct {
	took time.Duration // by the last reading
	next int64         // instant from which on it may be read again
}

// due reports whether it is to be read now, or must be.
func (r *pssReader) due(now int64, must bool) bool {
	return must || r.next == 0 || r.took < pssQuick && now >= r.next
}

// read adds up the PSS of the members that are alive.
func (r *pssReader) read(members []*member, files *reader) (pss uint64, err error) {
	began := clock.Now()
	if len(members) > pssMembers {
		err = fmt.Errorf("%d processes are more than the %d it is read of", len(members), pssMembers)
		members = nil
	}
	for _, m := range members {
		if m.stat.zombie {
			continue
		}
		own, e := readPSS(m.pid, files)
		switch {
		case hasEnded(e) && !m.alive():
		case e != nil:
			err = e
		default:
			pss += own
		}
	}
	r.took = time.Duration(clock.Now() - began)
	r.next = began + max(pssShare*int64(r.took), int64(time.Second))
	return pss, err
}

// readPSS is that of one process. Its file is not kept open: it is read too rarely.
func readPSS(pid int, files *reader) (uint64, error) {
	f := procFile{path: procPath(pid, "smaps_rollup")}
	data, err := files.read(&f)
	defer files.close(&f)
	if err != nil {
		return 0, err
	}
	kilobytes, err := parseLine(data, "Pss:")
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.path, err)
	}
	return kilobytes << 10, nil
}
