package nano_test

import (
	"fmt"
	"html/template"
	"net/url"
	"os"
	"testing/fstest"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func ExampleBind() {
	type search struct {
		Shop  string   `path:"shop"`
		Words []string `query:"q"`
		Page  int      `query:"page" default:"1"`
	}
	app := nano.New(nano.Config{})
	app.Get("/shops/{shop}/search", func(c nano.Ctx) error {
		s, err := nano.Bind[search](c)
		if err != nil {
			return err // 400, with a list of what is wrong
		}
		return c.JSON(200, s)
	})
	client := nanotest.New(app)
	fmt.Println(client.Get("/shops/tea/search?q=green&q=loose+leaf").Do().Text())
	fmt.Println(client.Get("/shops/tea/search?page=x").Do().Text())
	// Output:
	// {"Shop":"tea","Words":["green","loose leaf"],"Page":1}
	// {"detail":"the request can't be read","errors":[{"in":"query","name":"page","detail":"must be a whole number"}],"status":400,"title":"Bad Request"}
}

func ExampleCtx_JSONWriter() {
	app := nano.New(nano.Config{})
	app.Get("/users/{id}", func(c nano.Ctx) error {
		id, err := c.Param("id").Int()
		if err != nil {
			return nano.NewProblem(400, "the id is not a number")
		}
		w := c.JSONWriter()
		w.Object().Key("id").Int(int64(id)).Key("tags").Array().String("a").String("b").End().End()
		return c.SendJSON(200, w)
	})
	fmt.Println(nanotest.New(app).Get("/users/7").Do().Text())
	// Output: {"id":7,"tags":["a","b"]}
}

func ExampleCtx_Accepts() {
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error {
		c.SetHeader("Vary", "Accept")
		switch c.Accepts("application/json", "text/html") {
		case "application/json":
			return c.JSON(200, map[string]int{"answer": 42})
		case "text/html":
			return c.HTML(200, "<p>42")
		}
		return nano.NewProblem(406, "there are JSON and HTML")
	})
	client := nanotest.New(app)
	fmt.Println(client.Get("/").Header("Accept", "text/html, */*;q=0.1").Do().Text())
	fmt.Println(client.Get("/").Header("Accept", "image/png").Do().Status)
	// Output:
	// <p>42
	// 406
}

func ExampleCtx_SetCookie() {
	app := nano.New(nano.Config{})
	app.Post("/theme", func(c nano.Ctx) error {
		c.SetCookie(nano.Cookie{Name: "theme", Value: "dark", Path: "/", MaxAge: 24 * time.Hour, Secure: true})
		return c.NoContent(204)
	})
	app.Get("/theme", func(c nano.Ctx) error { return c.Text(200, c.Cookie("theme").String()) })
	client := nanotest.New(app).KeepCookies()
	fmt.Println(client.Post("/theme").Do().Header.Get("Set-Cookie"))
	fmt.Println(client.Get("/theme").Do().Text())
	// Output:
	// theme=dark; Path=/; Max-Age=86400; HttpOnly; Secure; SameSite=Lax
	// dark
}

func ExampleCtx_Form() {
	app := nano.New(nano.Config{Forms: nano.FormLimits{Files: 1, PartBytes: 1 << 20}})
	app.Post("/notes", func(c nano.Ctx) error {
		form, err := c.Form()
		if err != nil {
			return err
		}
		if photo := form.File("photo"); photo != nil {
			root, err := os.OpenRoot("photos")
			if err != nil {
				return err
			}
			defer root.Close()
			if err := photo.Save(root, "a-name-of-ours.jpg"); err != nil {
				return err
			}
		}
		return c.Text(201, "noted: "+form.Get("text").String())
	})
	fmt.Println(nanotest.New(app).Post("/notes").Form(url.Values{"text": {"milk & tea"}}).Do().Text())
	// Output: noted: milk & tea
}

func ExampleCtx_Stream() {
	app := nano.New(nano.Config{})
	app.Get("/count", func(c nano.Ctx) error {
		c.SetHeader("Trailer", "X-Count")
		return c.Stream(200, "text/plain; charset=utf-8", func(s *nano.Stream) error {
			for i := range 3 {
				fmt.Fprintf(s, "%d\n", i)
				if err := s.Flush(); err != nil {
					return err
				}
			}
			s.Trailer("X-Count", "3")
			return nil
		})
	})
	got := nanotest.New(app).Get("/count").Do()
	fmt.Printf("%s%s\n", got.Body, got.Trailer.Get("X-Count"))
	// Output:
	// 0
	// 1
	// 2
	// 3
}

func ExampleCtx_SSE() {
	app := nano.New(nano.Config{})
	app.Get("/prices", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			prices := make(chan nano.Event, 2) // from wherever they come
			prices <- nano.Event{ID: "1", Data: "100"}
			prices <- nano.Event{ID: "2", Name: "fall", Data: "90"}
			close(prices)
			return e.From(prices)
		})
	})
	fmt.Print(nanotest.New(app).Get("/prices").Do().Text())
	// Output:
	// id: 1
	// data: 100
	//
	// event: fall
	// id: 2
	// data: 90
}

func ExampleGroup_Static() {
	assets := fstest.MapFS{ // or an embed.FS, or os.DirFS("assets")
		"app.js":    {Data: []byte("let x = 1")},
		"app.js.gz": {Data: []byte("(compressed)")},
	}
	app := nano.New(nano.Config{})
	app.Static("/assets/", assets, nano.StaticOptions{MaxAge: time.Hour, Precompressed: true})
	client := nanotest.New(app)
	got := client.Get("/assets/app.js").Header("Accept-Encoding", "gzip").Do()
	fmt.Println(got.Text(), got.Header.Get("Content-Type"), got.Header.Get("Content-Encoding"))
	fmt.Println(client.Get("/assets/app.js").Header("Accept-Encoding", "gzip").Header("If-None-Match", got.Header.Get("ETag")).Do().Status)
	fmt.Println(client.Get("/assets/app.js").Header("Range", "bytes=0-2").Do().Text())
	// Output:
	// (compressed) text/javascript; charset=utf-8 gzip
	// 304
	// let
}

func ExampleCtx_Render() {
	pages := template.Must(template.New("user").Parse(`<h1>{{.Name}}</h1>`))
	app := nano.New(nano.Config{Renderer: nano.Templates(pages)})
	app.Get("/", func(c nano.Ctx) error {
		return c.Render(200, "user", map[string]string{"Name": "<Ada>"})
	})
	fmt.Println(nanotest.New(app).Get("/").Do().Text())
	// Output: <h1>&lt;Ada&gt;</h1>
}

func ExampleCtx_Redirect() {
	app := nano.New(nano.Config{})
	app.Get("/old", func(c nano.Ctx) error { return c.Redirect(301, "/new") })
	app.Get("/login", func(c nano.Ctx) error { return c.LocalRedirect(303, c.Query("next").String()) })
	client := nanotest.New(app)
	fmt.Println(client.Get("/old").Do().Header.Get("Location"))
	fmt.Println(client.Get("/login?next=//evil.example").Do().Status)
	// Output:
	// /new
	// 400
}

func ExampleProblem() {
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error {
		p := nano.NewProblem(409, "the seat is taken")
		p.More = map[string]any{"seat": "12A"}
		return p
	})
	got := nanotest.New(app).Get("/").Do()
	fmt.Println(got.Header.Get("Content-Type"), got.Text())
	// Output: application/problem+json {"detail":"the seat is taken","seat":"12A","status":409,"title":"Conflict"}
}
