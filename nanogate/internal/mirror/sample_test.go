package mirror

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// A sample holds no secrets, and no more than so much of anything.
func TestSample(t *testing.T) {
	long := strings.Repeat("é", 5000)
	made, err := compile(&config.Compare{Headers: []string{"set-cookie", "x-ours", "server"}, JSON: []string{"$"}})
	if err != nil {
		t.Fatal(err)
	}
	m := &Mirror{compare: made, redact: func() []string { return []string{"x-ours", "ours"} }}
	c := &Capture{
		mirror: m, endpoint: &upstream.Endpoint{Name: "10.0.0.1:80"}, began: 1e18,
		head:  []byte("GET /a/" + long + "?token=s3cret&ours=s3cret&b=c HTTP/1.1\r\nHost: h\r\nAuthorization: s3cret\r\nCookie: s3cret\r\n\r\n"),
		first: responseOf(t, "HTTP/1.1 200 OK\r\nSet-Cookie: s3cret\r\nX-Ours: s3cret\r\nServer: a\r\n\r\n", `{"token":"s3cret","user":{"password":"s3cret","name":"ann"},"gone":{"secret":"s3cret","ours":"s3cret","x":"`+long+`"}}`),
	}
	second := response{status: 200, content: []byte(`{"token":"other","user":{"password":"other","name":"bob"}}`)}
	found, _ := made.responses(c.first.response(), second, m.redact())
	s := m.sample(c, second, found, "")
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cret", "other"} {
		if strings.Contains(string(b), secret) {
			t.Errorf("it holds %s: %s", secret, b)
		}
	}
	if s.Query != "token=REDACTED&ours=REDACTED&b=c" || s.Host != "h" || s.Method != "GET" || !s.Time.Equal(time.Unix(1e9, 0)) || len(found) != 7 {
		t.Errorf("%d differences, %s", len(found), b)
	}
	if most := 2*mostTarget + len(found)*4*mostValue; len(b) > most {
		t.Errorf("%d bytes, expected %d at most", len(b), most)
	}
	if !strings.Contains(string(b), `"first":"\"ann\"","second":"\"bob\""`) {
		t.Errorf("what is no secret isn't shown: %s", b)
	}
}

// The newest samples are kept, and no more than asked for.
func TestRecordKeepsTheNewest(t *testing.T) {
	r := NewRecord(&config.Mirror{Samples: 3})
	for i := range 5 {
		r.keep(Sample{Status: i})
	}
	all := r.Samples()
	if len(all) != 3 || all[0].Status != 4 || all[2].Status != 2 {
		t.Errorf("%+v", all)
	}
	none := NewRecord(&config.Mirror{})
	none.keep(Sample{})
	if len(none.Samples()) != 0 {
		t.Error("a sample is kept where none are")
	}
}
