package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const workers = 8

// The interval of checks of a container whose route may appear or disappear.
const recheckInterval = 100 * time.Millisecond

// podWorkers bind each pod to this node, update its status, and remove it when it is deleted.
type podWorkers struct {
	client     kubernetes.Interface
	node       string
	containers *containers
	routes     *routeFolder
	routed     bool

	pods  corelisters.PodLister
	queue workqueue.TypedRateLimitingInterface[types.NamespacedName]
}

func (w *podWorkers) start(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(w.client, 0)
	informer := factory.Core().V1().Pods()
	w.pods = informer.Lister()
	w.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[types.NamespacedName]())
	see := func(object any) {
		if key, err := cache.DeletionHandlingObjectToName(object); err == nil {
			w.queue.Add(types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
		}
	}
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc: see, UpdateFunc: func(_, now any) { see(now) }, DeleteFunc: see,
	}
	if _, err := informer.Informer().AddEventHandler(handler); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("the pods were never listed")
	}
	context.AfterFunc(ctx, w.queue.ShutDown)
	for range workers {
		go w.work(ctx)
	}
	return nil
}

func (w *podWorkers) work(ctx context.Context) {
	for {
		name, ended := w.queue.Get()
		if ended {
			return
		}
		if err := w.bring(ctx, name); err != nil && !errors.IsNotFound(err) && !errors.IsConflict(err) {
			w.queue.AddRateLimited(name)
		} else {
			w.queue.Forget(name)
		}
		w.queue.Done(name)
	}
}

func (w *podWorkers) bring(ctx context.Context, name types.NamespacedName) error {
	pod, err := w.pods.Pods(name.Namespace).Get(name.Name)
	if errors.IsNotFound(err) {
		w.containers.end(name)
		return nil
	}
	if err != nil {
		return err
	}
	pods := w.client.CoreV1().Pods(name.Namespace)
	switch {
	case pod.DeletionTimestamp != nil:
		w.containers.end(name)
		now := int64(0)
		this := metav1.NewUIDPreconditions(string(pod.UID))
		return pods.Delete(ctx, name.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: this})
	case pod.Spec.NodeName == "":
		return pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: name.Name, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: w.node},
		}, metav1.CreateOptions{})
	case pod.Spec.NodeName != w.node:
		return nil
	}
	for _, each := range pod.Spec.Containers {
		w.containers.get(name, each.Name)
	}
	status, settled := statusOf(pod, w.isRouted)
	if !settled {
		w.queue.AddAfter(name, recheckInterval)
	}
	if equality.Semantic.DeepEqual(pod.Status, status) {
		return nil
	}
	changed := pod.DeepCopy()
	changed.Status = status
	_, err = pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	return err
}

// isRouted reports whether a container's readiness probe would succeed, and whether that result is final.
func (w *podWorkers) isRouted(pod *corev1.Pod, container *corev1.Container) (ready, settled bool) {
	if !w.routed || container.ReadinessProbe == nil || container.ReadinessProbe.HTTPGet == nil {
		return true, true
	}
	return w.routes.has(pod.Namespace, pod.Name, container.ReadinessProbe.HTTPGet.Port.IntVal), false
}
