// Command parked has goroutines that wait, and collects garbage all the time if it is told to.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

func main() {
	var held sync.Mutex
	var read sync.RWMutex
	never := make(chan int)
	held.Lock()
	read.Lock()
	for range 3 {
		go held.Lock()
	}
	for range 2 {
		go read.RLock()
	}
	go func() { never <- 1 }()
	go time.Sleep(time.Hour)
	var list []*int
	if len(os.Args) > 1 {
		for range 1 << 20 {
			list = append(list, new(int))
		}
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(list)
}
