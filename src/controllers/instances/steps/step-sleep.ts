import { sleepForcedReason, sleepUnusedReason } from '../../../api/management/sleep-reasons.ts';
import type { VirtualClusterInstance } from '../../../api/management/v1/virtual-cluster-instance.ts';
import { sleepAfterAnnotation, sleepForceAnnotation } from '../../../api/naming.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import { currentSleepMode } from '../current-sleep-mode.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { SleepMode } from '../sleep-mode.ts';
import type { StatusReason } from '../status-draft.ts';
import type { HostStepContext } from './step-context.ts';

/**
 * Puts the virtual cluster to sleep or wakes it, and returns its state afterwards. The server wakes only a virtual
 * cluster that it put to sleep. An imported virtual cluster that already slept stays asleep.
 */
export async function sleepStep(
  context: HostStepContext,
  observed: HostedVirtualCluster,
  { sleepReason }: SleepMode,
): Promise<HostedVirtualCluster | undefined> {
  const { host, snapshot, dependencies, signal } = context;
  const { object, location, external, uid } = snapshot;
  if (external || observed.phase === 'Removing') return observed;
  const isSleeping = observed.phase === 'Sleeping';
  if (isSleeping === (sleepReason !== undefined)) {
    if (!isSleeping && wasPutToSleep(object)) recordWoken(context);
    return observed;
  }
  if (sleepReason === undefined) {
    const isManagedSleep = observed.owner === uid || object.status?.phase === 'Sleeping';
    if (!isManagedSleep) return observed;
    await host.wake(location, { signal });
    recordWoken(context);
  } else {
    const unusedCheck = new UnusedCheck(snapshot, dependencies);
    const isShared = sleepReason === sleepUnusedReason && dependencies.activity.refresh !== undefined;
    await host.sleep(location, { signal, ...(isShared ? { isWanted: () => unusedCheck.isUnused() } : {}) });
    // The use that prevented the sleep causes another reconcile.
    if (unusedCheck.wasUsed) return observed;
    dependencies.events.record(object, 'Normal', sleepReason, sleepStatusReason(sleepReason).message);
  }
  return await host.observe(location, { signal });
}

/** True if the server has put the virtual cluster to sleep and has not recorded yet that it was woken, by a gateway. */
function wasPutToSleep({ status }: VirtualClusterInstance): boolean {
  return status?.phase === 'Sleeping' && (status.reason === sleepUnusedReason || status.reason === sleepForcedReason);
}

function recordWoken({ snapshot, dependencies }: HostStepContext): void {
  dependencies.events.record(snapshot.object, 'Normal', 'Woken', 'Woke the virtual cluster.');
}

/** Checks once more that no replica has used an instance, after the state of its virtual cluster was read. */
class UnusedCheck {
  readonly #snapshot: InstanceSnapshot;
  readonly #dependencies: InstanceDependencies;
  wasUsed = false;

  constructor(snapshot: InstanceSnapshot, dependencies: InstanceDependencies) {
    this.#snapshot = snapshot;
    this.#dependencies = dependencies;
  }

  async isUnused(): Promise<boolean> {
    const { sleepMode } = await currentSleepMode(this.#snapshot, this.#dependencies);
    this.wasUsed = sleepMode.sleepReason === undefined;
    return !this.wasUsed;
  }
}

/** Returns the reason why an instance sleeps. Its message tells users how to wake the virtual cluster. */
export function sleepStatusReason(asleep: SleepMode['sleepReason']): StatusReason {
  if (asleep === sleepForcedReason) {
    const message = `Sleeping because the annotation ${sleepForceAnnotation} is set. All data is kept. Remove the annotation to wake the virtual cluster.`;
    return { reason: asleep, message };
  }
  if (asleep !== undefined) {
    const message = `Sleeping because it was not used for the period in the annotation ${sleepAfterAnnotation}. All data is kept. The next request wakes it.`;
    return { reason: asleep, message };
  }
  return {
    reason: 'AsleepOnHost',
    message: 'Sleeping. It was put to sleep on its host cluster and must be woken there.',
  };
}
