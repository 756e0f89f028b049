package present

import (
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0µs", 499: "0µs", 1e3: "1µs", 999_499: "999µs", 999_500: "1ms", 1_234_567: "1.23ms", 99.96e6: "100ms", 999.4e6: "999ms",
		999.6e6: "1s", 1e9: "1s", 12.345e9: "12.3s", 600e9: "600s",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.4: "0", 999: "999", 999.6: "1,000", 12345: "12,345", 1234567.8: "1,234,568", 1e9: "1,000,000,000"} {
		if got := Number(x); got != want {
			t.Errorf("number(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 40: "1.0 TiB", 1 << 52: "4096.0 TiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1499 * time.Millisecond: "1s", 90 * time.Second: "1m30s", 12*time.Minute + 31*time.Second: "13m", 90 * time.Minute: "1h30m",
	} {
		if got := Roughly(d); got != want {
			t.Errorf("roughly(%v) = %q, want %q", d, got, want)
		}
	}
}
