package main

import "sync"

// blocks is how many pieces of memory are in use at once, each of blockBytes.
const (
	blocks     = 16
	blockBytes = 256
)

type memory [blockBytes]byte

// allocLocal takes memory from a pool that every processor has a part of.
func allocLocal() func() int {
	return func() int { return useBlocks(takeLocal, giveLocal) }
}

// allocShared takes memory from one list for all, behind a lock.
func allocShared() func() int {
	return func() int { return useBlocks(shared.take, shared.give) }
}

var local = sync.Pool{New: func() any { return new(memory) }}

func takeLocal() *memory  { return local.Get().(*memory) }
func giveLocal(m *memory) { local.Put(m) }

// shared keeps what it was ever given.
var shared sharedList

type sharedList struct {
	mu   sync.Mutex
	free []*memory
}

func (l *sharedList) take() *memory {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.free) - 1
	if last < 0 {
		return new(memory)
	}
	m := l.free[last]
	l.free = l.free[:last]
	return m
}

func (l *sharedList) give(m *memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, m)
}

// useBlocks takes blocks, writes to them, reads them, and gives them back.
func useBlocks(take func() *memory, give func(*memory)) (sum int) {
	var held [blocks]*memory
	for i := range held {
		held[i] = take()
		held[i][i] = byte(i)
	}
	for i, m := range held {
		sum += int(m[i])
		give(m)
	}
	return sum
}
