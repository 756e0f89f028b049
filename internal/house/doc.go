// Package house holds the repository's modules to what they promise of each other:
// what a program resolves that imports nano, and that all build with the same
// libraries, in the workspace or alone. All of it is tests.
package house
