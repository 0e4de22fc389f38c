package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// register creates the Node object, with the port where kube-apiserver reaches its kubelet.
func register(ctx context.Context, client kubernetes.Interface, name string, port int) error {
	labels := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	made, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		made, err = client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	}
	if err != nil {
		return err
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("10000"),
		corev1.ResourceMemory: resource.MustParse("10Ti"),
		corev1.ResourcePods:   resource.MustParse("10000"),
	}
	made.Status = corev1.NodeStatus{
		Capacity:        room,
		Allocatable:     room,
		Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}},
		Conditions:      []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(port)}},
	}
	_, err = client.CoreV1().Nodes().UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}
