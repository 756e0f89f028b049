package compress_test

import (
	"fmt"
	"strings"

	"dyno.example/nano"
	"dyno.example/nano/compress"
	"dyno.example/nano/nanotest"
)

func Example() {
	app := nano.New(nano.Config{})
	app.Use(compress.New(compress.Config{}))
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, strings.Repeat("hello ", 1000)) })

	got := nanotest.New(app).Get("/").Header("Accept-Encoding", "gzip, zstd").Do()
	fmt.Println(got.Header.Get("Content-Encoding"), len(got.Body) < 100)
	// Output: zstd true
}
