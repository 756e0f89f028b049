package acme_test

import (
	"testing"
	"time"

	"dyno.example/nanogate/conformance/acme/acmetest"
	"dyno.example/nanogate/internal/disktest"
)

// What couldn't be kept isn't asked for: on a full disk certificates would be ordered
// again and again, and the authority have enough of us.
func TestFullDisk(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	disk := disktest.New(t)
	c := new(clock)
	g := start(t, c)
	balance(a, g)
	listen := listeners(t, a, disk.Dir, "", "shop.example")
	a.Away.Store(true)
	g.use(t, listen)
	a.Away.Store(false)
	c.add(time.Hour)
	disk.Fill()
	g.Step(t.Context())
	if s := g.state(t, "shop.example"); len(a.Ordered()) != 0 || s.Err == "" {
		t.Errorf("a certificate was asked for that couldn't have been kept: %+v", s)
	}
	disk.Free()
	g.Step(t.Context())
	if s := g.state(t, "shop.example"); s.Err != "" || s.Expires.IsZero() {
		t.Errorf("with room: %+v %s", s, g.log)
	}
}
