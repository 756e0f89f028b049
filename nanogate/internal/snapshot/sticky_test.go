package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/state"
)

// A cookie names an endpoint to who has the key, and to nobody else.
func TestSticky(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	if err := os.WriteFile(file, []byte("a key that is long enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine, err := sticky(&config.Sticky{Cookie: "a", Key: file})
	if err != nil {
		t.Fatal(err)
	}
	beside, _ := sticky(&config.Sticky{Cookie: "b", Key: file})
	other := newSticky([]byte("another key"))
	for id := range uint64(1000) {
		id *= 0x9e3779b97f4a7c15
		value := mine.Append(nil, id)
		if got, ok := beside.Read(value); !ok || got != id {
			t.Fatalf("%x is %s, and that %x", id, value, got)
		}
		if got, ok := other.Read(value); ok {
			t.Fatalf("with another key %s is %x", value, got)
		}
		value[3] ^= 1
		if got, ok := mine.Read(value); ok {
			t.Fatalf("%s, which nobody has written, is %x", value, got)
		}
	}
	for _, made := range []string{"", "12ab", fmt.Sprintf("%x", 12), "zz" + string(mine.Append(nil, 1)[2:]), string(mine.Append(nil, 1)) + "00"} {
		if _, ok := mine.Read([]byte(made)); ok {
			t.Errorf("%q is taken", made)
		}
	}
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { mine.Read(mine.Append(buf, 7)) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if err := os.WriteFile(file, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + ".gone"} {
		if _, err := sticky(&config.Sticky{Key: name}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	first, again := Builder{State: state.Open(dir)}, Builder{State: state.Open(dir)}
	value := first.ownSticky().Append(nil, 7)
	if id, ok := again.ownSticky().Read(value); id != 7 || !ok {
		t.Error("a start later clients don't stay with their endpoints")
	}
	if id, ok := new(Builder).ownSticky().Read(value); ok {
		t.Errorf("a gateway without a place to keep it has the same key (%x)", id)
	}
}
