package main

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"

	"github.com/coder/websocket"
	"github.com/gin-gonic/gin"
)

func serveGin(ln net.Listener, files, certificate string) error {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	ticks := newTicker()
	r.GET("/plaintext", func(c *gin.Context) { c.String(200, hello) })
	r.Static("/files", files)
	r.POST("/orders", func(c *gin.Context) {
		var o order
		if err := c.ShouldBindJSON(&o); err != nil {
			c.JSON(400, gin.H{"error": err.Error()})
			return
		}
		c.JSON(201, gin.H{"id": o.ID})
	})
	r.GET("/events", func(c *gin.Context) {
		c.Header("Content-Type", "text/event-stream")
		c.Stream(func(w io.Writer) bool {
			select {
			case <-c.Request.Context().Done():
				return false
			case <-ticks.tick():
				_, err := io.WriteString(w, event)
				return err == nil
			}
		})
	})
	r.GET("/echo", func(c *gin.Context) {
		conn, err := websocket.Accept(c.Writer, c.Request, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			kind, data, err := conn.Read(c.Request.Context())
			if err != nil || conn.Write(c.Request.Context(), kind, data) != nil {
				return
			}
		}
	})
	s := &http.Server{Handler: r}
	if certificate != "" {
		s.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}}
		return s.ServeTLS(ln, certificate, certificate)
	}
	return s.Serve(ln)
}
