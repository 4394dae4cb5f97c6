// Package trace writes trace files, in one file and without cgo.
//
//	f, err := trace.Create("out.pftrace")
//	main := f.Track("main", 0)
//	s := main.Begin("load", trace.Arg{"path", "a.txt"})
//	...
//	s.End()
//	f.Counter("queue").Set(3)
//	err = f.Close()
//
// Slices of one track nest: what begins last ends first. Goroutines that work at the same time need tracks of their own;
// Do finds one. A File may be used by any number of goroutines. The first error stays, and Close returns it. All methods
// of a nil *File, *Track and *Counter do nothing: a program that records only sometimes needs no condition.
package trace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

const (
	clockRealtime, clockMonotonic, sequence      = 1, 3, 1
	typeBegin, typeEnd, typeInstant, typeCounter = 1, 2, 3, 4
)

// Arg is what an event carries: a key, and a bool, a number or a text. Others are written as fmt prints them.
type Arg struct {
	Key   string
	Value any
}

// Flow joins events by arrows: those that carry the same number.
type Flow uint64

// File is a trace that is being written.
type File struct {
	mu       sync.Mutex
	file     *os.File
	out      *bufio.Writer
	err      error
	start    time.Time
	counters map[string]*Counter
	free     chan *Track // of Do

	names, keys              map[string]uint64
	startNs, process, tracks uint64
}

// Track is where events appear.
type Track struct {
	file *File
	uuid uint64
}

// Counter is a track of numbers.
type Counter Track

// Slice is one that has begun. Its zero value ends nothing.
type Slice struct{ track *Track }

type message []byte

func (m *message) varint(n uint64) { *m = binary.AppendUvarint(*m, n) }

func (m *message) int(field int, n uint64) { m.varint(uint64(field) << 3); m.varint(n) }

func (m *message) text(field int, text string) { m.bytes(field, []byte(text)) }

func (m *message) bytes(field int, data []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(data)))
	*m = append(*m, data...)
}

func (m *message) fixed(field int, n uint64) {
	m.varint(uint64(field)<<3 | 1)
	*m = binary.LittleEndian.AppendUint64(*m, n)
}

func (m *message) nested(field int, fill func(*message)) {
	inner := message{}
	fill(&inner)
	m.bytes(field, inner)
}

func hash(text string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h
}

// Create replaces the file.
func Create(path string) (*File, error) {
	file, err := os.Create(path)
	now := time.Now()
	if err != nil {
		return nil, err
	}
	f := &File{
		file: file, out: bufio.NewWriterSize(file, 1<<16), start: now, startNs: uint64(now.UnixNano()),
		names: map[string]uint64{}, keys: map[string]uint64{}, counters: map[string]*Counter{}, free: make(chan *Track, 1024),
		process: hash(fmt.Sprint("process ", os.Getpid())),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	// Times are those of the day at the beginning, and go on with the monotonic clock.
	f.packet(func(p *message) {
		p.nested(6, func(s *message) {
			s.nested(1, func(c *message) { c.int(1, clockMonotonic); c.int(2, f.startNs) })
			s.nested(1, func(c *message) { c.int(1, clockRealtime); c.int(2, f.startNs) })
			s.int(2, clockMonotonic)
		})
		p.int(13, 1)
	})
	f.describe(f.process, func(t *message) {
		t.nested(3, func(d *message) { d.int(1, uint64(os.Getpid())); d.text(6, os.Args[0]) })
	})
	return f, nil
}

// Close completes the file. Later events go nowhere.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = f.out.Flush()
	}
	err, closed := f.err, f.file.Close()
	if f.err = os.ErrClosed; err == nil {
		err = closed
	}
	return err
}

func (f *File) packet(fill func(*message)) {
	if f.err != nil {
		return
	}
	var body, whole message
	fill(&body)
	body.int(10, sequence)
	whole.bytes(1, body)
	_, f.err = f.out.Write(whole)
}

func (f *File) describe(uuid uint64, fill func(*message)) {
	f.packet(func(p *message) { p.nested(60, func(t *message) { t.int(1, uuid); fill(t) }) })
}

func iid(table map[string]uint64, text string, field int, interned *message) uint64 {
	if table[text] == 0 {
		table[text] = uint64(len(table) + 1)
		interned.nested(field, func(m *message) { m.int(1, table[text]); m.text(2, text) })
	}
	return table[text]
}

func (f *File) arg(e *message, arg Arg, interned *message) {
	if flow, ok := arg.Value.(Flow); ok {
		e.fixed(47, uint64(flow))
		return
	}
	e.nested(4, func(a *message) {
		a.int(1, iid(f.keys, arg.Key, 3, interned))
		switch v := reflect.ValueOf(arg.Value); {
		case v.Kind() == reflect.Bool:
			a.int(2, map[bool]uint64{true: 1}[v.Bool()])
		case v.CanInt():
			a.int(4, uint64(v.Int()))
		case v.CanUint():
			a.int(3, v.Uint())
		case v.CanFloat():
			a.fixed(5, math.Float64bits(v.Float()))
		default:
			a.text(6, v.String())
		}
	})
}

// plain has texts for what fmt prints. That may call methods of the program, which may write events: it is done without the lock.
func plain(args []Arg) []Arg {
	out := make([]Arg, len(args))
	for i, arg := range args {
		v := reflect.ValueOf(arg.Value)
		if _, text := arg.Value.(string); !text && v.Kind() != reflect.Bool && !v.CanInt() && !v.CanUint() && !v.CanFloat() {
			arg.Value = fmt.Sprint(arg.Value)
		}
		out[i] = arg
	}
	return out
}

func (f *File) event(kind, track uint64, name string, args []Arg, more func(*message)) {
	at := f.startNs + uint64(time.Since(f.start))
	args = plain(args)
	f.mu.Lock()
	defer f.mu.Unlock()
	var interned message
	f.packet(func(p *message) {
		p.int(8, at)
		p.int(58, clockMonotonic)
		p.int(13, 2)
		p.nested(11, func(e *message) {
			e.int(9, kind)
			e.int(11, track)
			if name != "" {
				e.int(10, iid(f.names, name, 2, &interned))
			}
			for _, arg := range args {
				f.arg(e, arg, &interned)
			}
			if more != nil {
				more(e)
			}
		})
		if len(interned) > 0 {
			p.bytes(12, interned)
		}
	})
}

// Track is a new one below the process; id tells those of one name apart.
func (f *File) Track(name string, id uint64) *Track {
	if f == nil {
		return nil
	}
	t := &Track{f, f.process ^ hash(fmt.Sprint("track ", id, " ", name))}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.describe(t.uuid, func(m *message) { m.int(5, f.process); m.text(2, name) })
	return t
}

func (t *Track) event(kind uint64, name string, args []Arg) {
	if t != nil {
		t.file.event(kind, t.uuid, name, args, nil)
	}
}

// Begin begins a slice.
func (t *Track) Begin(name string, args ...Arg) Slice {
	t.event(typeBegin, name, args)
	return Slice{t}
}

// End ends the slice, which may carry more.
func (s Slice) End(args ...Arg) { s.track.event(typeEnd, "", args) }

// Instant is a moment.
func (t *Track) Instant(name string, args ...Arg) { t.event(typeInstant, name, args) }

// Do calls fn inside of a slice on a track that nothing else is on: for goroutines.
func (f *File) Do(name string, fn func(t *Track), args ...Arg) {
	if f == nil {
		fn(nil)
		return
	}
	var t *Track
	select {
	case t = <-f.free:
	default:
		t = f.Track("goroutine", atomic.AddUint64(&f.tracks, 1))
	}
	s := t.Begin(name, args...)
	defer func() {
		s.End()
		select {
		case f.free <- t:
		default:
		}
	}()
	fn(t)
}

// Counter is that of the name.
func (f *File) Counter(name string) *Counter {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.counters[name]
	if c == nil {
		c = &Counter{f, f.process ^ hash("counter "+name)}
		f.counters[name] = c
		f.describe(c.uuid, func(m *message) { m.int(5, f.process); m.text(2, name); m.bytes(8, nil) })
	}
	return c
}

// Set is its value from now on.
func (c *Counter) Set(value float64) {
	if c == nil {
		return
	}
	c.file.event(typeCounter, c.uuid, "", nil, func(e *message) { e.fixed(44, math.Float64bits(value)) })
}
