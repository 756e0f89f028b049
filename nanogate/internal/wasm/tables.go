package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// mostElements is how many entries a table may begin with. Compilers make one of the
// functions that are called by pointer.
const mostElements = 1 << 20

// checkTables searches a binary for tables that are too large: the runtime allocates
// them as declared, outside of the memory that is counted (WebAssembly 2.0 5.5.7). The
// runtime reports all other errors.
func checkTables(b []byte) error {
	const header = 8
	if len(b) < header || string(b[:4]) != "\x00asm" {
		return errors.New("it isn't WebAssembly: it doesn't begin with its magic number")
	}
	for b = b[header:]; len(b) > 0; {
		id := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || size > uint64(len(b)-1-n) {
			return errors.New("it is cut off")
		}
		body := b[1+n:][:size]
		b = b[1+n:][size:]
		const tables = 4
		if id == tables {
			if err := checkTable(body); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTable checks the section: there is one table at most.
func checkTable(b []byte) error {
	count, n := binary.Uvarint(b)
	if n <= 0 || count > 1 {
		return fmt.Errorf("it has %d tables, and one is taken", count)
	}
	const head = 2 // the kind of its elements, and whether there is a maximum
	if b = b[n:]; count == 0 || len(b) < head {
		return nil
	}
	const functions = 0x70
	if b[0] != functions {
		return errors.New("its table isn't a plain one of functions")
	}
	if least, n := binary.Uvarint(b[head:]); n > 0 && least > mostElements {
		return fmt.Errorf("it has a table of %d elements, and %d are taken", least, mostElements)
	}
	return nil
}
