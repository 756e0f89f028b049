// Package conformance holds the documents of package openapi to their standards with a
// validator of JSON Schema, and package page to what a browser makes of it. It is a
// module of its own, as that takes libraries, which users of openapi need not resolve.
// All of it is tests.
package conformance
