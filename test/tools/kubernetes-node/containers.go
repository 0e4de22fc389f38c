package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const mostLines = 10_000

// containers holds the programs of all pods.
type containers struct {
	mutex sync.Mutex
	byKey map[containerKey]*container
}

type containerKey struct {
	pod  types.NamespacedName
	name string
}

func newContainers() *containers {
	return &containers{byKey: map[containerKey]*container{}}
}

func (all *containers) get(pod types.NamespacedName, name string) *container {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	key := containerKey{pod, name}
	found := all.byKey[key]
	if found == nil {
		found = &container{changed: make(chan struct{})}
		found.Write([]byte("container " + name + " of pod " + pod.String() + " has started\n"))
		all.byKey[key] = found
	}
	return found
}

func (all *containers) end(pod types.NamespacedName) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	for key, each := range all.byKey {
		if key.pod == pod {
			each.end()
			delete(all.byKey, key)
		}
	}
}

type logLine struct {
	at   time.Time
	text string
}

// container is a program that echoes its input. Its output is its log.
type container struct {
	mutex   sync.Mutex
	lines   []logLine
	dropped int
	partial []byte
	ended   bool
	changed chan struct{}
}

func (c *container) Write(read []byte) (int, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.partial = append(c.partial, read...)
	for {
		end := bytes.IndexByte(c.partial, '\n')
		if end < 0 {
			break
		}
		c.lines = append(c.lines, logLine{time.Now(), string(c.partial[:end+1])})
		c.partial = c.partial[end+1:]
	}
	if over := len(c.lines) - mostLines; over > 0 {
		c.lines = c.lines[over:]
		c.dropped += over
	}
	c.wake()
	return len(read), nil
}

func (c *container) end() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ended = true
	c.wake()
}

func (c *container) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// from returns the lines from that number on, the next number, whether the container has ended, and a channel that is
// closed on a change.
func (c *container) from(number int) (lines []logLine, next int, ended bool, changed <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	first := max(number-c.dropped, 0)
	if first < len(c.lines) {
		lines = append(lines, c.lines[first:]...)
	}
	return lines, c.dropped + len(c.lines), c.ended, c.changed
}

// follow passes each line from that number on to take until the container or the context ends.
func (c *container) follow(ctx context.Context, number int, take func(logLine) error) error {
	for {
		lines, next, ended, changed := c.from(number)
		for _, line := range lines {
			if err := take(line); err != nil {
				return err
			}
		}
		number = next
		if ended {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (line logLine) shown(timestamps bool) string {
	if !timestamps {
		return line.text
	}
	return strings.Join([]string{line.at.UTC().Format(time.RFC3339Nano), line.text}, " ")
}
