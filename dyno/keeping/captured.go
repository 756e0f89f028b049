package keeping

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/packets"
	"dyno.example/nano/wire/clock"
)

// captured captures the headers of a subject's packets from when the measured time begins.
type captured struct {
	port  int
	timer *time.Timer

	mu      sync.Mutex
	capture *packets.Capture // nil before that, and if it isn't possible
	unable  error
	over    bool
}

// begin has it begin then.
func (c *captured) begin(measured int64) {
	c.timer = time.AfterFunc(time.Duration(measured-clock.Now()), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.over {
			c.capture, c.unable = packets.Start(c.port)
		}
	})
}

// end puts the capture into the trial, with a comment on the first packet of each slow
// request that there is evidence of.
func (c *captured) end(t *archive.Trial) {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.capture == nil {
		if c.unable == nil {
			c.unable = errors.New("the load didn't begin")
		}
		t.Lack(archive.PacketHeaders, c.unable)
		return
	}
	list, lost, full, err := c.capture.Stop()
	if err == nil && len(list) == 0 {
		err = errors.New("there was no packet")
	}
	if err != nil {
		t.Lack(archive.PacketHeaders, err)
		return
	}
	comment := fmt.Sprintf("headers of TCP packets of port %d, without what they carried; the kernel had no room for %d more", c.port, lost)
	if full {
		comment += fmt.Sprintf("; it ended after %d packets", packets.Most)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(packets.Write(z, list, c.port, comment, marks(t)), z.Close()); err != nil {
		t.Lack(archive.PacketHeaders, err)
		return
	}
	t.Keep(archive.PacketHeaders, b.Bytes(), nil, nil)
}

// marks are the slow requests, on the clock that packets have.
func marks(t *archive.Trial) (list []packets.Mark) {
	if t.Evidence == nil {
		return nil
	}
	wall := time.Now().UnixNano() - clock.Now()
	for i := range t.Evidence.Records {
		if r := &t.Evidence.Records[i]; r.Class == evidence.Tail {
			list = append(list, packets.Mark{
				Connection: r.ConnectionID, From: r.Sent + wall, To: r.Done + wall,
				Text: fmt.Sprintf("slow request %d: %v", r.Sequence, time.Duration(r.Response()).Round(time.Microsecond)),
			})
		}
	}
	return list
}
