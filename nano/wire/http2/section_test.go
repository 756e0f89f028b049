package http2

import (
	"bytes"
	"fmt"
	"testing"
)

// served is a server's connection whose requests are all in, and the client's that
// reads what is sent.
func served(t *testing.T, requests int) (server *Conn, streams []*Stream, client *Conn) {
	t.Helper()
	server, client = new(Conn), new(Conn)
	server.Start(NewConfig(Config{Server: true, Table: defaultTable}), new(Pool), 1)
	client.Start(NewConfig(Config{}), new(Pool), 1)
	for range requests {
		s, err := client.Open()
		if err != nil {
			t.Fatal(err)
		}
		client.Request(s, []byte("GET"), []byte("http"), []byte("example.org"), []byte("/"))
		client.EndHeaders(true)
	}
	for b := client.Out; ; {
		n, ev, err := server.Next(b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b = b[n:]; ev.Kind == More {
			break
		}
		if ev.Kind == EventHead {
			streams = append(streams, ev.Stream)
		}
	}
	return server, streams, client
}

// heads reads what the server has sent and returns the fields of each head.
func heads(t *testing.T, client *Conn, b []byte) (all []string) {
	t.Helper()
	for {
		n, ev, err := client.Next(b, 1)
		if err != nil {
			t.Fatal(err)
		}
		if b = b[n:]; ev.Kind == More {
			return all
		}
		if ev.Kind != EventHead {
			continue
		}
		text := fmt.Sprint(ev.Header.Status)
		for _, f := range ev.Header.Fields {
			text += fmt.Sprintf(" %s=%s", f.Name.Of(ev.Header.Bytes), f.Value.Of(ev.Header.Bytes))
		}
		all = append(all, text)
	}
}

// TestSectionAgain sends one head many times: as soon as all of it is in the table it
// can be sent again, until something else changes the table, and says the same.
func TestSectionAgain(t *testing.T) {
	const requests = 40
	server, streams, client := served(t, requests)
	var kept Section
	want, repeated := []string(nil), 0
	for i, s := range streams {
		if i%10 == 9 { // another head in between
			server.Response(s, 404)
			server.Field([]byte("X-Number"), fmt.Append(nil, i))
			server.EndHeaders(true)
			want = append(want, fmt.Sprintf("404 x-number=%d", i))
			continue
		}
		want = append(want, "200 content-type=text/plain content-length=13")
		if server.Again(s, &kept) {
			repeated++
		} else {
			server.Response(s, 200)
			server.Known(NameContentType, []byte("text/plain"))
			server.Known(NameContentLength, []byte("13"))
			server.Keep(&kept)
		}
		server.EndHeaders(false)
		server.SendData(s, []byte("Hello, World!"), true)
	}
	got := heads(t, client, server.Out)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if repeated < requests/2 {
		t.Errorf("%d heads of %d were sent again as they were", repeated, requests)
	}
}

// TestSectionOfAnotherTable: what was encoded before the peer changed its table is not
// sent again.
func TestSectionOfAnotherTable(t *testing.T) {
	server, streams, client := served(t, 6)
	var kept Section
	say := func(s *Stream) {
		server.Response(s, 200)
		server.Known(NameContentType, []byte("text/plain"))
		server.Keep(&kept)
		server.EndHeaders(true)
	}
	for _, s := range streams[:3] {
		say(s)
	}
	if !server.Again(streams[3], &kept) {
		t.Fatal("a head that was sent three times can't be sent again")
	}
	server.EndHeaders(true)
	server.enc.Allow(0)
	if server.Again(streams[4], &kept) {
		t.Fatal("it is sent again without the table")
	}
	say(streams[4])
	if len(heads(t, client, server.Out)) != 5 {
		t.Error("the client has not got all")
	}
}

// TestSectionOfAClosedStream writes nothing.
func TestSectionOfAClosedStream(t *testing.T) {
	server, streams, _ := served(t, 4)
	var kept Section
	for _, s := range streams[:3] {
		server.Response(s, 204)
		server.Keep(&kept)
		server.EndHeaders(true)
	}
	server.Reset(streams[3], Cancel)
	before := bytes.Clone(server.Out)
	if server.Again(streams[3], &kept) {
		server.EndHeaders(true)
	}
	if !bytes.Equal(before, server.Out) {
		t.Error("something was written")
	}
	server.Response(streams[3], 204)
	if server.Keep(&kept) {
		t.Error("nothing was kept of nothing")
	}
}
