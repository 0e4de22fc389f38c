package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// ledger records the writes that the server has acknowledged.
type ledger struct {
	sync.Mutex
	// written maps the version of each create, update and patch to the uid of its object.
	written map[int64]types.UID
	deleted map[types.UID]string
	counts  map[string]int
	highest int64
}

func newLedger() *ledger {
	return &ledger{written: map[int64]types.UID{}, deleted: map[types.UID]string{}, counts: map[string]int{}}
}

func (l *ledger) count(what string) {
	l.Lock()
	defer l.Unlock()
	l.counts[what]++
}

func (l *ledger) wrote(what string, object metav1.Object) error {
	version, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	if err != nil {
		return err
	}
	l.Lock()
	defer l.Unlock()
	if _, known := l.written[version]; known {
		return fmt.Errorf("version %d was assigned to two writes", version)
	}
	l.written[version] = object.GetUID()
	l.highest = max(l.highest, version)
	l.counts[what]++
	return nil
}

func (l *ledger) removed(object metav1.Object) error {
	l.Lock()
	defer l.Unlock()
	if _, known := l.deleted[object.GetUID()]; known {
		return fmt.Errorf("%s was deleted twice", object.GetName())
	}
	l.deleted[object.GetUID()] = object.GetName()
	l.counts["delete"]++
	return nil
}

// writers work on a few shared names concurrently, so that they conflict.
type writers struct {
	kind   writable
	ledger *ledger
	names  int
	marks  atomic.Int64
}

func (w *writers) run(t *testing.T, ctx context.Context, count int) {
	t.Helper()
	var all sync.WaitGroup
	for range count {
		all.Go(func() {
			for ctx.Err() == nil {
				// Each write is completed: a canceled write may or may not have happened.
				if err := w.step(context.WithoutCancel(ctx)); err != nil {
					t.Errorf("a writer: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
}

func (w *writers) step(ctx context.Context) error {
	name := fmt.Sprintf("churn-%d", rand.IntN(w.names))
	switch dice := rand.IntN(100); {
	case dice < 15:
		return w.create(ctx, name)
	case dice < 45:
		return w.update(ctx, name)
	case dice < 55:
		return w.staleUpdate(ctx, name)
	case dice < 75:
		return w.mergePatch(ctx, name)
	case dice < 85:
		return w.jsonPatch(ctx, name)
	case dice < 92:
		_, err := w.delete(ctx, name)
		return err
	default:
		return w.replace(ctx, name)
	}
}

func parity() string { return []string{"even", "odd"}[rand.IntN(2)] }

func (w *writers) mark() string { return strconv.FormatInt(w.marks.Add(1), 10) }

func (w *writers) create(ctx context.Context, name string) error {
	made, err := w.kind.create(ctx, name, map[string]string{"parity": parity()})
	if apierrors.IsAlreadyExists(err) {
		w.ledger.count("create, exists")
		return nil
	}
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	return w.ledger.wrote("create", made)
}

// update reads, changes and writes until no other writer came in between, as controllers do.
func (w *writers) update(ctx context.Context, name string) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := w.kind.get(ctx, name)
		if err != nil {
			return err
		}
		object.SetLabels(map[string]string{"parity": parity()})
		changed, err := w.kind.update(ctx, object, w.mark())
		if apierrors.IsConflict(err) {
			w.ledger.count("update, conflict")
		}
		if err != nil {
			return err
		}
		return w.ledger.wrote("update", changed)
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// staleUpdate writes twice from one read. The second write must fail.
func (w *writers) staleUpdate(ctx context.Context, name string) error {
	object, err := w.kind.get(ctx, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	changed, err := w.kind.update(ctx, object, w.mark())
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = w.ledger.wrote("update", changed); err != nil {
		return err
	}
	// After a deletion, a PUT that could create fails on the uid in the body.
	if _, err = w.kind.update(ctx, object, w.mark()); !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		return fmt.Errorf("an update from an old version returned %v", err)
	}
	w.ledger.count("update, stale")
	return nil
}

func (w *writers) mergePatch(ctx context.Context, name string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"annotations": map[string]string{"mark": w.mark()},
		"labels":      map[string]string{"parity": parity()},
	}})
	if err != nil {
		return err
	}
	return w.patched(w.kind.patch(ctx, name, types.MergePatchType, body))
}

func (w *writers) jsonPatch(ctx context.Context, name string) error {
	body, err := json.Marshal([]map[string]any{
		{"op": "add", "path": "/metadata/annotations", "value": map[string]string{"mark": w.mark()}},
	})
	if err != nil {
		return err
	}
	return w.patched(w.kind.patch(ctx, name, types.JSONPatchType, body))
}

func (w *writers) patched(changed metav1.Object, err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	return w.ledger.wrote("patch", changed)
}

// delete deletes the object that exists now, by uid, and never a successor of the same name.
func (w *writers) delete(ctx context.Context, name string) (bool, error) {
	object, err := w.kind.get(ctx, name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	uid := object.GetUID()
	err = w.kind.delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("delete: %w", err)
	}
	return true, w.ledger.removed(object)
}

// replace deletes the object and immediately creates a new one of the same name.
func (w *writers) replace(ctx context.Context, name string) error {
	gone, err := w.delete(ctx, name)
	if err != nil || !gone {
		return err
	}
	w.ledger.count("delete and create")
	return w.create(ctx, name)
}
