import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { sleepForceAnnotation } from '../api/naming.ts';
import { notImplemented, type StatusError, serviceUnavailable } from '../api/status.ts';
import type { HostPlace } from '../hosts/host.ts';
import { flagAt, textAt } from '../lib/json-path.ts';

/** Why nobody gets into an instance, or has to leave it, and what to do about that. */

export function notReady(instance: KubeObject): StatusError {
  const message = textAt(instance, 'status', 'message') || 'it is being made';
  return serviceUnavailable(`${nameOf(instance)} cannot be used yet: ${message}`, 1);
}

export function beingRemoved(instance: KubeObject): StatusError {
  return serviceUnavailable(`${nameOf(instance)} is being removed`);
}

export function beingWoken(instance: KubeObject): StatusError {
  return serviceUnavailable(`${nameOf(instance)} was asleep and is being woken: try again in a moment`, 1);
}

export function asleep(instance: KubeObject): StatusError {
  if (isForcedAsleep(instance)) {
    const what = `the annotation ${sleepForceAnnotation} of its ${virtualClusterInstanceKind.kind}`;
    return serviceUnavailable(
      `${nameOf(instance)} is asleep, as ${what} asks; nothing in it is lost: take the annotation away to wake it`,
    );
  }
  if (flagAt(instance, 'spec', 'external')) return asleepElsewhere(instance);
  return serviceUnavailable(`${nameOf(instance)} is asleep; nothing in it is lost: who uses it next wakes it`);
}

export function asleepElsewhere(instance: KubeObject): StatusError {
  return serviceUnavailable(
    `${nameOf(instance)} is asleep: it was put to sleep on the cluster ${JSON.stringify(clusterOf(instance))}, and is to be woken there`,
  );
}

export function outOfReach(instance: KubeObject): StatusError {
  const where = `it runs on the cluster ${JSON.stringify(clusterOf(instance))}`;
  return notImplemented(`${nameOf(instance)} cannot be reached: ${where}, to which this server has no gateway`);
}

export function isForcedAsleep({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[sleepForceAnnotation] === 'true';
}

export function nameOf({ metadata }: KubeObject): string {
  return `the virtual cluster ${JSON.stringify(metadata.name ?? '')}`;
}

export function clusterOf(instance: KubeObject): string {
  return textAt(instance, 'spec', 'clusterRef', 'cluster');
}

export function placeOf(instance: KubeObject): HostPlace {
  const at = (member: string) => textAt(instance, 'spec', 'clusterRef', member);
  return { namespace: at('namespace'), name: at('virtualCluster') };
}
