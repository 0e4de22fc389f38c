import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import { sleepForceAnnotation } from '../api/naming.ts';
import { notImplemented, type StatusError, serviceUnavailable } from '../api/status.ts';
import type { HostPlace } from '../hosts/host.ts';

/** Errors that explain why an instance cannot be used, or why a session ends, and what to do about it. */

export function notReady(instance: VirtualClusterInstance): StatusError {
  const message = instance.status?.message || 'it is being created';
  return serviceUnavailable(`${nameOf(instance)} is not ready: ${message}`, 1);
}

export function beingRemoved(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(`${nameOf(instance)} is being removed`);
}

export function beingWoken(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(`${nameOf(instance)} is waking up; try again in a moment`, 1);
}

export function asleep(instance: VirtualClusterInstance): StatusError {
  if (isForcedAsleep(instance)) {
    const what = `its ${virtualClusterInstanceKind.kind} has the annotation ${sleepForceAnnotation}`;
    return serviceUnavailable(
      `${nameOf(instance)} is asleep because ${what}; it keeps its data. Remove the annotation to wake it`,
    );
  }
  if (instance.spec?.external === true) return asleepElsewhere(instance);
  return serviceUnavailable(`${nameOf(instance)} is asleep and keeps its data; the next request wakes it`);
}

export function asleepElsewhere(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(
    `${nameOf(instance)} is asleep: it was put to sleep on the cluster ${JSON.stringify(clusterOf(instance))} and must be woken there`,
  );
}

export function outOfReach(instance: VirtualClusterInstance): StatusError {
  const where = `it runs on the cluster ${JSON.stringify(clusterOf(instance))}`;
  return notImplemented(
    `${nameOf(instance)} cannot be reached: ${where}, and this server has no gateway to that cluster`,
  );
}

export function isForcedAsleep({ metadata }: VirtualClusterInstance): boolean {
  return metadata.annotations?.[sleepForceAnnotation] === 'true';
}

export function nameOf({ metadata }: VirtualClusterInstance): string {
  return `the virtual cluster ${JSON.stringify(metadata.name ?? '')}`;
}

export function clusterOf(instance: VirtualClusterInstance): string {
  return instance.spec?.clusterRef?.cluster ?? '';
}

export function placeOf(instance: VirtualClusterInstance): HostPlace {
  const { namespace = '', virtualCluster = '' } = instance.spec?.clusterRef ?? {};
  return { namespace, name: virtualCluster };
}
