import { isSleepRefused } from '../api/management/sleep-reasons.ts';
import { sleepForceAnnotation } from '../api/naming.ts';
import { notImplemented, type StatusError, serviceUnavailable } from '../api/status.ts';
import type { InstanceType, ProjectInstance } from './instance-type.ts';

/** The errors that state why an instance cannot be used or why a session ends, and what to do. */
export class InstanceErrors<Instance extends ProjectInstance> {
  readonly #type: InstanceType<Instance>;

  constructor(type: InstanceType<Instance>) {
    this.#type = type;
  }

  notReady(instance: Instance): StatusError {
    const message = instance.status?.message || 'it is being created';
    return serviceUnavailable(`${this.displayNameOf(instance)} is not ready: ${message}`, 1);
  }

  beingRemoved(instance: Instance): StatusError {
    return serviceUnavailable(`${this.displayNameOf(instance)} is being removed`);
  }

  wakingUp(instance: Instance): StatusError {
    return serviceUnavailable(`${this.displayNameOf(instance)} is waking up; try again in a moment`, 1);
  }

  asleep(instance: Instance): StatusError {
    if (isForcedAsleep(instance)) {
      const what = `its ${this.#type.kind.kind} has the annotation ${sleepForceAnnotation}`;
      return serviceUnavailable(
        `${this.displayNameOf(instance)} is asleep because ${what}. Remove the annotation to wake it`,
      );
    }
    if (this.#type.isExternal(instance)) return this.asleepOnHost(instance);
    return serviceUnavailable(`${this.displayNameOf(instance)} is asleep; the next request wakes it`);
  }

  asleepWhenViewed(instance: Instance): StatusError {
    return serviceUnavailable(
      `${this.displayNameOf(instance)} is asleep, and viewing it in the console does not wake it. Wake it on its page`,
    );
  }

  asleepOnHost(instance: Instance): StatusError {
    return serviceUnavailable(
      `${this.displayNameOf(instance)} is asleep: it was put to sleep on the cluster ${JSON.stringify(clusterNameOf(instance))} and must be woken there`,
    );
  }

  unreachable(instance: Instance): StatusError {
    const where = `it runs on the cluster ${JSON.stringify(clusterNameOf(instance))}`;
    return notImplemented(
      `${this.displayNameOf(instance)} cannot be reached: ${where}, and this server has no gateway to that cluster`,
    );
  }

  displayNameOf({ metadata }: Instance): string {
    return `the ${this.#type.noun} ${JSON.stringify(metadata.name ?? '')}`;
  }
}

/** True if a user has put the instance to sleep and the server has not refused the sleep. */
export function isForcedAsleep(instance: ProjectInstance): boolean {
  return instance.metadata.annotations?.[sleepForceAnnotation] === 'true' && !isSleepRefused(instance);
}

export function clusterNameOf(instance: ProjectInstance): string {
  return instance.spec?.clusterRef?.cluster ?? '';
}
