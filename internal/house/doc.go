// Package house holds the repository's modules to what they promise of each other: what
// a program that imports nano resolves to, and that all build with the same libraries,
// with and without the workspace. All of it is tests.
package house
