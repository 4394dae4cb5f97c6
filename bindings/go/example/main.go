// go run ./example FILE
package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"orma/trace"
)

func main() {
	f, err := trace.Create(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	main := f.Track("main", 0)
	all := main.Begin("all", trace.Arg{Key: "path", Value: "a.txt"}, trace.Arg{Key: "ok", Value: true})
	var group sync.WaitGroup
	for i := 0; i < 3; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			f.Do("fetch", func(t *trace.Track) {
				time.Sleep(2 * time.Millisecond)
				t.Instant("answered", trace.Arg{Value: trace.Flow(i + 1)})
				t.Begin("parse", trace.Arg{Key: "part", Value: 0.5}).End()
			}, trace.Arg{Key: "number", Value: i})
		}(i)
	}
	group.Wait()
	for i := 0; i < 3; i++ {
		f.Counter("result").Set(float64(i))
		main.Instant("counted", trace.Arg{Value: trace.Flow(i + 1)})
	}
	all.End(trace.Arg{Key: "rows", Value: int64(-3)})
	var none *trace.File
	none.Track("x", 0).Begin("nothing").End()
	if err := f.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
