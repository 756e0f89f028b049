//go:build linux

package admin

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// ends are the addresses of a TCP connection, as one of them sees it.
type ends struct{ local, remote netip.AddrPort }

// inodeOf is the inode of the system's TCP socket with these ends, as proc_net_tcp lists them; 0 if there is none, or no process
// has it any more.
func inodeOf(e ends) (uint64, error) {
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // without IPv6
		}
		if err != nil {
			return 0, err
		}
		inode, err := findSocket(f, e)
		f.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		if inode != 0 {
			return inode, nil
		}
	}
	return 0, nil
}

// findSocket looks for it in such a list.
func findSocket(list io.Reader, e ends) (uint64, error) {
	lines := bufio.NewScanner(list)
	lines.Scan() // the heading
	for lines.Scan() {
		const local, remote, inode = 1, 2, 9
		fields := strings.Fields(lines.Text())
		if len(fields) <= inode {
			return 0, fmt.Errorf("%q has no inode", lines.Text())
		}
		var found ends
		var err error
		if found.local, err = listed(fields[local]); err != nil {
			return 0, err
		}
		if found.local != e.local {
			continue
		}
		if found.remote, err = listed(fields[remote]); err != nil {
			return 0, err
		}
		if found == e {
			number, err := strconv.ParseUint(fields[inode], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("the inode of %q: %w", lines.Text(), err)
			}
			return number, nil
		}
	}
	return 0, lines.Err()
}

// listed reads an address and a port such as "0100007F:1F90": words of 32 bits as the machine has them.
func listed(text string) (netip.AddrPort, error) {
	address, port, _ := strings.Cut(text, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("the port of %q: %w", text, err)
	}
	words, err := hex.DecodeString(address)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("the address of %q: %w", text, err)
	}
	for i := 0; i+4 <= len(words); i += 4 {
		binary.NativeEndian.PutUint32(words[i:], binary.BigEndian.Uint32(words[i:]))
	}
	at, ok := netip.AddrFromSlice(words)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("the address of %q has %d bytes", text, len(words))
	}
	return plain(netip.AddrPortFrom(at, uint16(number))), nil
}
