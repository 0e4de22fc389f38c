import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import { sleepForceAnnotation } from '../api/naming.ts';
import { notImplemented, type StatusError, serviceUnavailable } from '../api/status.ts';
import type { HostLocation } from '../hosts/host.ts';

/** The errors in this file state why an instance cannot be used or why a session ends, and what to do. */

export function notReadyError(instance: VirtualClusterInstance): StatusError {
  const message = instance.status?.message || 'it is being created';
  return serviceUnavailable(`${displayNameOf(instance)} is not ready: ${message}`, 1);
}

export function beingRemovedError(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(`${displayNameOf(instance)} is being removed`);
}

export function wakingUpError(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(`${displayNameOf(instance)} is waking up; try again in a moment`, 1);
}

export function asleepError(instance: VirtualClusterInstance): StatusError {
  if (isForcedAsleep(instance)) {
    const what = `its ${virtualClusterInstanceKind.kind} has the annotation ${sleepForceAnnotation}`;
    return serviceUnavailable(
      `${displayNameOf(instance)} is asleep because ${what}; it keeps its data. Remove the annotation to wake it`,
    );
  }
  if (instance.spec?.external === true) return asleepOnHostError(instance);
  return serviceUnavailable(`${displayNameOf(instance)} is asleep and keeps its data; the next request wakes it`);
}

export function asleepOnHostError(instance: VirtualClusterInstance): StatusError {
  return serviceUnavailable(
    `${displayNameOf(instance)} is asleep: it was put to sleep on the cluster ${JSON.stringify(clusterNameOf(instance))} and must be woken there`,
  );
}

export function unreachableError(instance: VirtualClusterInstance): StatusError {
  const where = `it runs on the cluster ${JSON.stringify(clusterNameOf(instance))}`;
  return notImplemented(
    `${displayNameOf(instance)} cannot be reached: ${where}, and this server has no gateway to that cluster`,
  );
}

export function isForcedAsleep({ metadata }: VirtualClusterInstance): boolean {
  return metadata.annotations?.[sleepForceAnnotation] === 'true';
}

export function displayNameOf({ metadata }: VirtualClusterInstance): string {
  return `the virtual cluster ${JSON.stringify(metadata.name ?? '')}`;
}

export function clusterNameOf(instance: VirtualClusterInstance): string {
  return instance.spec?.clusterRef?.cluster ?? '';
}

export function locationOf(instance: VirtualClusterInstance): HostLocation {
  const { namespace = '', virtualCluster = '' } = instance.spec?.clusterRef ?? {};
  return { namespace, name: virtualCluster };
}
