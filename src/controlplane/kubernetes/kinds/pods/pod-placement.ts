import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { eventKind } from '../../../../api/core/event.ts';
import type { KubeObject, Timestamp } from '../../../../api/meta.ts';
import type { CompanionObject } from '../../../../registry/resource.ts';
import { podCondition, setPodCondition } from './pod-conditions.ts';

const scheduled = 'PodScheduled';
const noNodes = 'NoNodes';
const gated = 'SchedulingGated';
const source = 'built-in-host';

const explanation =
  'nothing runs pods on the built-in host: this virtual cluster only stores them. To run pods, create the virtual cluster from a template on a connected Kubernetes cluster, or bind the pod to a node of your own.';

/** Sets a condition with the reason why a pod does not run. Does nothing if the pod has a node. */
export function explainPlacement(pod: JsonObject, now: Timestamp): void {
  if (textAt(pod, 'spec', 'nodeName') !== '') return;
  const status = isJsonObject(pod.status) ? pod.status : {};
  pod.status = status;
  const isGated = listAt(pod, 'spec', 'schedulingGates').length > 0;
  const known = podCondition(pod, scheduled);
  const reason = textAt(known, 'reason');
  if (known !== undefined && reason !== gated) return;
  const condition = isGated
    ? { reason: gated, message: 'Scheduling is blocked due to non-empty scheduling gates' }
    : { reason: noNodes, message: explanation };
  if (reason !== condition.reason) setPodCondition(status, { type: scheduled, status: 'False', ...condition }, now);
}

/** Records in the conditions of a pod that it has a node. */
export function setScheduled(status: JsonObject, now: Timestamp): void {
  setPodCondition(status, { type: scheduled, status: 'True' }, now);
}

/**
 * Returns the event with the reason why a pod does not run. The event is written and deleted together with the pod, so
 * `kubectl describe pod` shows it as long as the pod has no node.
 */
export function placementEvents(pod: KubeObject): readonly CompanionObject[] {
  const condition = podCondition(pod as JsonValue, scheduled);
  const { namespace = '', name = '', uid = '', creationTimestamp = '' } = pod.metadata;
  if (textAt(condition, 'reason') !== noNodes || textAt(pod as JsonValue, 'spec', 'nodeName') !== '') return [];
  // The name of the event contains the pod's uid. A client may have kept the event of an earlier pod with the same
  // name.
  const eventName = `${name}.${uid.replaceAll('-', '').slice(0, 16)}`;
  const object = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {},
    involvedObject: { kind: 'Pod', namespace, name, uid, apiVersion: 'v1' },
    reason: 'FailedScheduling',
    message: explanation,
    source: { component: source },
    firstTimestamp: creationTimestamp,
    lastTimestamp: creationTimestamp,
    count: 1,
    type: 'Warning',
    reportingComponent: source,
  };
  return [{ kind: eventKind, namespace, name: eventName, object: object as KubeObject }];
}
