package busy

import (
	"net/netip"
	"strings"
	"testing"
)

const procTCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0000000000000000 20 4 30 10 -1
`

const procTCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9 1 0000000000000000 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:1F92 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 10 1 0000000000000000 100 0 0 10 0
`

func TestParseListeners(t *testing.T) {
	four, err := parseListeners(strings.NewReader(procTCP))
	if err != nil {
		t.Fatal(err)
	}
	six, err := parseListeners(strings.NewReader(procTCP6))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to    string
		inode uint64 // 0: nobody listens
	}{
		{"127.0.0.1:8080", 4711}, {"127.0.0.2:8080", 0}, {"127.0.0.1:80", 4712}, {"192.0.2.7:80", 4712}, {"127.0.0.1:49153", 0},
		{"[::1]:8081", 9}, {"127.0.0.1:8081", 0}, {"127.0.0.1:8082", 10},
	} {
		inode := uint64(0)
		for _, l := range append(four, six...) {
			if l.takes(netip.MustParseAddrPort(c.to)) {
				inode = l.inode
			}
		}
		if inode != c.inode {
			t.Errorf("%s: socket %d, want %d", c.to, inode, c.inode)
		}
	}
	for _, wrong := range []string{"0100007F", "xyz:0050", "0100:0050", "0100007F:xyz", "0100007F:1F901"} {
		text := strings.Replace(procTCP, "0100007F:1F90 0", wrong+" 0", 1)
		if got, err := parseListeners(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error, but %v", wrong, got)
		}
	}
}

func FuzzParseListeners(f *testing.F) {
	f.Add(procTCP)
	f.Add(procTCP6)
	f.Fuzz(func(_ *testing.T, text string) { parseListeners(strings.NewReader(text)) })
}
