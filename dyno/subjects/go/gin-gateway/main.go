// The subject go/gin-gateway: a gateway as many teams write one, Gin before
// httputil.ReverseProxy. It runs with GIN_MODE=release, which its manifest sets.
package main

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"gateway"

	_ "dynoprobe"
)

func main() { gateway.Run(routes) }

func routes(s *gateway.Settings) http.Handler {
	around, pass := gateway.NewAround(s), gateway.Proxy(s)
	engine := gin.New()
	engine.Use(gin.Recovery())
	engine.GET("/health", func(c *gin.Context) { c.Status(http.StatusOK) })
	passed := engine.Group("/")
	if around.Observed() {
		passed.Use(observe(around))
	}
	passed.Use(admit(around), bound(around))
	on := func(c *gin.Context) {
		around.Audit(c.Request)
		pass.ServeHTTP(c.Writer, c.Request)
	}
	passed.Any("/plaintext", on)
	guarded := passed.Group("/", authorize)
	guarded.Any("/users/*rest", on)
	guarded.Any("/api/*rest", on)
	return engine
}

// authorize lets requests with a token through.
func authorize(c *gin.Context) {
	if gateway.Authorize(c.Request) != nil {
		c.AbortWithStatus(http.StatusUnauthorized)
	}
}

func observe(around *gateway.Around) gin.HandlerFunc {
	return func(c *gin.Context) {
		r, end := around.Observe(c.Request, c.FullPath())
		c.Request = r
		c.Next()
		end(c.Writer.Status())
	}
}

func admit(around *gateway.Around) gin.HandlerFunc {
	return func(c *gin.Context) {
		leave, ok := around.Admit(c.Request)
		if !ok {
			c.AbortWithStatus(http.StatusServiceUnavailable)
			return
		}
		defer leave()
		c.Next()
	}
}

func bound(around *gateway.Around) gin.HandlerFunc {
	return func(c *gin.Context) {
		r, cancel := around.Bound(c.Request)
		defer cancel()
		c.Request = r
		c.Next()
	}
}
