package busy

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
)

// listener is a TCP socket that listens.
type listener struct {
	addr  netip.AddrPort
	inode uint64
}

// takes reports whether connections to an address of this machine come to it.
func (l *listener) takes(to netip.AddrPort) bool {
	return l.addr.Port() == to.Port() && (l.addr.Addr().IsUnspecified() || l.addr.Addr().Unmap() == to.Addr().Unmap())
}

// parseListeners reads those of /proc/net/tcp or /proc/net/tcp6
// (Documentation/networking/proc_net_tcp.rst). Addresses are there as words in the
// byte order of the machine, which is little-endian wherever dyno runs.
func parseListeners(r io.Reader) ([]listener, error) {
	var found []listener
	lines := bufio.NewScanner(r)
	for first := true; lines.Scan(); first = false {
		fields := strings.Fields(lines.Text())
		const listening = "0A"
		if first || len(fields) < 10 || fields[3] != listening {
			continue
		}
		addr, err := parseProcAddr(fields[1])
		if err != nil {
			return nil, err
		}
		inode, err := strconv.ParseUint(fields[9], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%.20q is not the number of a socket", fields[9])
		}
		found = append(found, listener{addr, inode})
	}
	return found, lines.Err()
}

// parseProcAddr reads an address such as 0100007F:1F90.
func parseProcAddr(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(host)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(bytes) != 4 && len(bytes) != 16 {
		return netip.AddrPort{}, fmt.Errorf("%.50q is not an address and port", text)
	}
	for word := bytes; len(word) > 0; word = word[4:] {
		word[0], word[1], word[2], word[3] = word[3], word[2], word[1], word[0]
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return netip.AddrPortFrom(addr, uint16(n)), nil
}
