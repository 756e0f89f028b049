// Package middleware is what most services put around their handlers.
//
// Every constructor takes a config whose zero value has safe defaults, and panics if
// the config can't work, so that it is found when the program starts. Put them on an
// app or a group with Use, on a route with nano.With. An order that works:
//
//	app.Use(
//		middleware.RequestID(middleware.RequestIDConfig{}),
//		middleware.AccessLog(middleware.AccessLogConfig{}),
//		middleware.Recover(middleware.RecoverConfig{}),
//		middleware.Secure(middleware.SecureConfig{}),
//		middleware.CORS(middleware.CORSConfig{Origins: []string{"https://app.example.com"}}),
//		middleware.RateLimit(middleware.RateLimitConfig{Rate: 50}),
//		middleware.CSRF(middleware.CSRFConfig{}),
//		middleware.Timeout(middleware.TimeoutConfig{After: 5 * time.Second}),
//	)
//
// Only an app's middleware, not a group's, also runs for requests that match no route:
// 404, 405 and the OPTIONS requests of CORS.
//
// What refuses a request returns a [nano.Problem], so that the app's error
// handler decides how refusals look. What else there is: [BasicAuth] and [KeyAuth],
// [BodyLimit], [BodyDump], [Breaker], [Cache], [ETag], [Idempotency], [Throttle], and
// [Rewrite] and [MethodOverride], which work before routing and so are for
// [nano.Config].Rewrite. Middleware of net/http is taken by [nano.FromHTTPMiddleware].
//
// Sessions, compression and decompression, JWT, metrics, traces and proxying are in
// packages of their own, next to this one.
package middleware
