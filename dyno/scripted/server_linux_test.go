package scripted

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

// serve runs a server for a test; stop ends it and returns its record.
func serve(t *testing.T, options Options) (address string, stop func() *Record) {
	t.Helper()
	s, err := Listen("127.0.0.1:0", options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan *Record, 1)
	go func() {
		record, err := s.Serve(ctx)
		if err != nil {
			t.Error(err)
		}
		done <- record
	}()
	stop = func() *Record { cancel(); return <-done }
	t.Cleanup(cancel)
	return s.Addr().String(), stop
}

func get(t *testing.T, conn net.Conn, responses *bufio.Reader) *http.Response {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(responses, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "Hello, World!" {
		t.Fatalf("body %q, %v", body, err)
	}
	return response
}

func TestResponsesAreNeverEarlyAndAllRecorded(t *testing.T) {
	script := Script{Delay: time.Millisecond, Slow: 5 * time.Millisecond, SlowShare: 0.5}
	address, stop := serve(t, Options{Script: script, Requests: 100})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	responses := bufio.NewReader(conn)
	for range 20 {
		get(t, conn, responses)
	}
	record := stop()
	if len(record.Arrival) != 20 || record.Beyond != 0 {
		t.Fatalf("%d requests recorded and %d beyond, want 20", len(record.Arrival), record.Beyond)
	}
	for k, late := range record.Error() {
		if late < 0 {
			t.Errorf("response %d is %d ns early", k, -late)
		}
		if want := script.Due(k, record.Arrival[k], record.Arrival[0]); record.Due[k] != want {
			t.Errorf("response %d was due at %d, the script says %d", k, record.Due[k], want)
		}
	}
	if len(record.Error()) != 20 {
		t.Errorf("%d responses recorded", len(record.Error()))
	}
}

func TestMoreRequestsThanRoomHaveResponsesToo(t *testing.T) {
	address, stop := serve(t, Options{Requests: 3})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	responses := bufio.NewReader(conn)
	for range 5 {
		get(t, conn, responses)
	}
	if record := stop(); len(record.Response) != 3 || record.Beyond != 2 {
		t.Errorf("%d recorded, %d beyond; want 3 and 2", len(record.Response), record.Beyond)
	}
}

func TestCloseEndsEachConnection(t *testing.T) {
	address, stop := serve(t, Options{Close: true, Requests: 10})
	for range 3 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		responses := bufio.NewReader(conn)
		if response := get(t, conn, responses); !response.Close {
			t.Error("the response doesn't say that the connection is closed")
		}
		if _, err := responses.ReadByte(); err != io.EOF {
			t.Errorf("after the response: %v, want the end", err)
		}
		conn.Close()
	}
	if record := stop(); len(record.Error()) != 3 {
		t.Errorf("%d responses recorded, want 3", len(record.Error()))
	}
}

func TestAResponseNeverGoesToASuccessor(t *testing.T) {
	address, stop := serve(t, Options{Script: Script{Delay: 20 * time.Millisecond}, Requests: 10})
	gone, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(gone, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	gone.Close()
	next, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	responses := bufio.NewReader(next)
	get(t, next, responses)
	if responses.Buffered() != 0 {
		t.Error("more than one response arrived")
	}
	record := stop()
	if n := len(record.Response); n > 2 || record.Response[n-1] == 0 {
		t.Errorf("responses at %v", record.Response)
	}
}

func TestQueueKeepsTheOrderOfDueTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var q queue
	var want []response
	for i := range 1000 {
		a := response{due: int64(random.IntN(50)), request: int32(i)}
		want = append(want, a)
		q.push(a)
	}
	slices.SortFunc(want, func(a, b response) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	for i, w := range want {
		if got := q.pop(); got != w {
			t.Fatalf("place %d: %+v, want %+v", i, got, w)
		}
	}
}

func TestRecordSurvivesWriting(t *testing.T) {
	record := newRecord(Script{Delay: time.Millisecond}, 4)
	record.arrived(5, 1)
	record.responded(0, 9)
	record.away(3, 7)
	var b bytes.Buffer
	if err := record.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRecord(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Script != record.Script || got.Response[0] != 9 || got.Conn[0] != 1 || got.Gaps[0] != (Gap{3, 4}) {
		t.Errorf("%+v", got)
	}
	if _, err := ReadRecord(bytes.NewReader(nil)); err == nil {
		t.Error("an empty record is accepted")
	}
}
