package jwt_test

import (
	"fmt"
	"time"

	lib "github.com/golang-jwt/jwt/v5"

	"dyno.example/nano"
	"dyno.example/nano/jwt"
	"dyno.example/nano/nanotest"
)

func Example() {
	secret := []byte("thirty-two bytes of a good secret") // from a file, not the source
	app := nano.New(nano.Config{})
	app.Use(jwt.New(jwt.Config{Keys: jwt.Keys{"2026": {Algorithm: "HS256", Key: secret}}, Audience: "orders"}))
	app.Get("/me", func(c nano.Ctx) error { return c.Text(200, jwt.Subject(c)) })

	token := lib.NewWithClaims(lib.SigningMethodHS256, lib.MapClaims{"sub": "ann", "aud": "orders", "exp": time.Now().Add(time.Hour).Unix()})
	token.Header["kid"] = "2026"
	signed, _ := token.SignedString(secret)

	client := nanotest.New(app)
	fmt.Println(client.Get("/me").Do().Status)
	fmt.Println(client.Get("/me").Header("Authorization", "Bearer "+signed).Do().Text())
	// Output:
	// 401
	// ann
}
