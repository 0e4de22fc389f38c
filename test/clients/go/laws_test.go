package clients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
)

// selected returns the events that a watch with a label selector must show, given the complete log from an empty
// collection on. An object that no longer matches is reported as deleted with its last matching content.
func selected(log []entry, parity string) []entry {
	current := map[string]entry{}
	var shown []entry
	for _, event := range log {
		before, known := current[event.Name]
		fitted := known && before.Parity == parity
		fits := event.Type != "DELETED" && event.Parity == parity
		if event.Type == "DELETED" {
			delete(current, event.Name)
		} else {
			current[event.Name] = event
		}
		switch {
		case fits && fitted:
			event.Type = "MODIFIED"
		case fits:
			event.Type = "ADDED"
		case fitted:
			event.Type, event.Parity = "DELETED", parity
		default:
			continue
		}
		shown = append(shown, event)
	}
	return shown
}

// endState replays a log that starts from an empty collection and returns the final objects by name. It fails on an
// event that contradicts the state before it.
func endState(log []entry) (map[string]entry, error) {
	current := map[string]entry{}
	for _, event := range log {
		before, known := current[event.Name]
		if known != (event.Type != "ADDED") {
			return nil, fmt.Errorf("%s of %s at %d, but it exists: %t", event.Type, event.Name, event.Version, known)
		}
		if known && before.UID != event.UID {
			return nil, fmt.Errorf("%s of %s at %d is about another object of that name", event.Type, event.Name, event.Version)
		}
		if event.Type == "DELETED" {
			delete(current, event.Name)
		} else {
			current[event.Name] = event
		}
	}
	return current, nil
}

func sameEntries(t *testing.T, what string, got, want []entry) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: event %d is %+v instead of %+v", what, i, got[i], want[i])
			return
		}
	}
	t.Errorf("%s: %d events instead of %d", what, len(got), len(want))
}

// checkLedger verifies that every acknowledged write is in the log exactly once, and nothing else is.
func checkLedger(t *testing.T, acknowledged *ledger, log []entry) {
	t.Helper()
	written, deleted := maps.Clone(acknowledged.written), maps.Clone(acknowledged.deleted)
	for _, event := range log {
		if event.Type == "DELETED" {
			for uid := range deleted {
				if string(uid) == event.UID {
					delete(deleted, uid)
				}
			}
			continue
		}
		if uid, known := written[event.Version]; !known || string(uid) != event.UID {
			t.Errorf("nobody has written %+v", event)
		}
		delete(written, event.Version)
	}
	if len(written) > 0 || len(deleted) > 0 {
		t.Errorf("acknowledged and never seen: %d writes, %d deletes", len(written), len(deleted))
	}
}

// checkEnd replays the log and compares the result with a fresh list.
func checkEnd(t *testing.T, ctx context.Context, kind writable, log []entry) map[string]int64 {
	t.Helper()
	followed, err := endState(log)
	if err != nil {
		t.Error(err)
	}
	objects, _, err := kind.list(ctx)
	if err != nil {
		t.Fatal(err)
	}
	listed, told := map[string]int64{}, map[string]int64{}
	for _, object := range objects {
		if listed[object.GetName()], err = strconv.ParseInt(object.GetResourceVersion(), 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for name, event := range followed {
		told[name] = event.Version
	}
	sameState(t, "the log", told, listed)
	return listed
}

func sameState(t *testing.T, what string, got, want map[string]int64) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s ends with %v, a fresh list has %v", what, got, want)
	}
}
