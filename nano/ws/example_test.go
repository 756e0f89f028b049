package ws_test

import (
	"context"
	"log"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"dyno.example/nano"
	"dyno.example/nano/ws"
)

func ExampleHandler() {
	type tick struct {
		At time.Time `json:"at"`
	}
	app := nano.New(nano.Config{})
	app.Get("/clock", ws.Handler(ws.Options{Origins: []string{"*.example.com"}}, func(ctx context.Context, conn *websocket.Conn) error {
		ctx = conn.CloseRead(ctx) // this handler only writes
		every := time.NewTicker(time.Second)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case at := <-every.C:
				if err := wsjson.Write(ctx, conn, tick{at}); err != nil {
					return err
				}
			}
		}
	}))
	log.Fatal(app.Listen("127.0.0.1:8080"))
}
