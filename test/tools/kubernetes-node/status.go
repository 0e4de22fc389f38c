package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stateAnnotation on a pod sets the state of its containers: `crash-looping` or `not-ready`; otherwise they run.
const stateAnnotation = "node.flotilla.test/state"

// statusOf returns the status that a kubelet would report; settled is false if it can change while the pod does not.
func statusOf(pod *corev1.Pod, ready func(*corev1.Pod, *corev1.Container) (bool, bool)) (corev1.PodStatus, bool) {
	status := *pod.Status.DeepCopy()
	if status.StartTime == nil {
		now := metav1.Now()
		status.StartTime = &now
	}
	started := *status.StartTime
	status.Phase = corev1.PodRunning
	status.HostIP = "127.0.0.1"
	status.HostIPs = []corev1.HostIP{{IP: "127.0.0.1"}}
	status.PodIP = "127.0.0.1"
	status.PodIPs = []corev1.PodIP{{IP: "127.0.0.1"}}
	state := pod.Annotations[stateAnnotation]
	allReady, allSettled := true, true
	status.InitContainerStatuses = nil
	for _, each := range pod.Spec.InitContainers {
		status.InitContainerStatuses = append(status.InitContainerStatuses, doneContainer(pod, &each, started))
	}
	status.ContainerStatuses = nil
	for _, each := range pod.Spec.Containers {
		isReady, settled := ready(pod, &each)
		isReady = isReady && state == ""
		allReady, allSettled = allReady && isReady, allSettled && settled
		status.ContainerStatuses = append(status.ContainerStatuses, containerStatus(pod, &each, state, isReady, started))
	}
	readiness := corev1.ConditionFalse
	if allReady {
		readiness = corev1.ConditionTrue
	}
	setCondition(&status, corev1.PodInitialized, corev1.ConditionTrue)
	setCondition(&status, corev1.ContainersReady, readiness)
	setCondition(&status, corev1.PodReady, readiness)
	return status, allSettled
}

func containerStatus(
	pod *corev1.Pod, container *corev1.Container, state string, ready bool, started metav1.Time,
) corev1.ContainerStatus {
	isStarted := state != "crash-looping"
	status := corev1.ContainerStatus{
		Name:        container.Name,
		Image:       container.Image,
		ImageID:     container.Image,
		ContainerID: "none://" + string(pod.UID) + "/" + container.Name,
		Ready:       ready,
		Started:     &isStarted,
	}
	if isStarted {
		status.State.Running = &corev1.ContainerStateRunning{StartedAt: started}
		return status
	}
	status.RestartCount = 5
	status.State.Waiting = &corev1.ContainerStateWaiting{
		Reason:  "CrashLoopBackOff",
		Message: "back-off 5m0s restarting failed container=" + container.Name,
	}
	status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error", StartedAt: started, FinishedAt: started,
	}
	return status
}

func doneContainer(pod *corev1.Pod, container *corev1.Container, started metav1.Time) corev1.ContainerStatus {
	status := containerStatus(pod, container, "", true, started)
	done := false
	status.Started = &done
	status.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Reason: "Completed", StartedAt: started, FinishedAt: started, ContainerID: status.ContainerID,
	}}
	return status
}

func setCondition(status *corev1.PodStatus, kind corev1.PodConditionType, value corev1.ConditionStatus) {
	for at := range status.Conditions {
		each := &status.Conditions[at]
		if each.Type != kind {
			continue
		}
		if each.Status != value {
			each.Status = value
			each.LastTransitionTime = metav1.Now()
		}
		return
	}
	status.Conditions = append(status.Conditions,
		corev1.PodCondition{Type: kind, Status: value, LastTransitionTime: metav1.Now()})
}
