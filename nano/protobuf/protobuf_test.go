package protobuf

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestProtobuf(t *testing.T) {
	app := nano.New(nano.Config{Decoders: map[string]nano.Decoder{MediaType: Decode}})
	app.Post("/", func(c nano.Ctx) error {
		body, err := c.Body()
		if err != nil {
			return err
		}
		var d durationpb.Duration
		if err := Decode(body, &d); err != nil {
			return nano.NewProblem(400, err.Error())
		}
		d.Seconds *= 2
		return Response(c, 200, &d)
	})
	sent, _ := proto.Marshal(&durationpb.Duration{Seconds: 21})
	got := nanotest.New(app).Post("/").Body(MediaType, sent).Do()
	var d durationpb.Duration
	if err := proto.Unmarshal(got.Body, &d); err != nil || d.Seconds != 42 || got.Header.Get("Content-Type") != MediaType {
		t.Errorf("%d %v, %v, %v", got.Status, &d, err, got.Header)
	}
	if got := nanotest.New(app).Post("/").Body(MediaType, []byte{0xff}).Do(); got.Status != 400 {
		t.Errorf("what is no message gets %d", got.Status)
	}
	if Decode(sent, new(int)) == nil {
		t.Error("an int is a message")
	}
}
