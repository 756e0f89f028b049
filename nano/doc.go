// Package nano is an HTTP framework at the price of a hand-written event loop.
//
//	app := nano.New(nano.Config{})
//	app.Get("/hello/{name}", func(c nano.Ctx) error {
//		return c.Text(200, "hello "+c.Param("name").String())
//	})
//	log.Fatal(app.Listen("127.0.0.1:8080"))
//
// A handler runs on the event loop that read the request: no goroutine, no hand-over.
// If it has not returned after a short time, a watchdog gives the loop to a fresh
// goroutine and the handler keeps the goroutine that it has, so a handler may block as
// it may in net/http.
//
// What a [Ctx] returns of the request are views into the connection's read
// buffer ([View]); they end with the handler. Converting a View to a string
// copies it. A Ctx used after its handler has returned panics with the name of
// its route: it never shows another request's bytes.
//
// An [App] is an [http.Handler], and any http.Handler mounts on an App. On
// Linux the loops serve HTTP/1.1 and HTTP/2, with TLS too; on other systems everything
// goes through net/http with the same routes.
package nano
