import { dataLostReason, sleepForcedReason, sleepUnusedReason } from '../../../api/management/sleep-reasons.ts';
import { acceptDataLossAnnotation, sleepAfterAnnotation, sleepForceAnnotation } from '../../../api/naming.ts';
import { DataLossError } from '../../../hosts/data-loss-error.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import { currentSleepMode } from '../current-sleep-mode.ts';
import type { HostStepContext, InstanceDependencies } from '../instance-dependencies.ts';
import type { Instance } from '../instance-profile.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import type { SleepMode } from '../sleep-mode.ts';
import type { StatusReason } from '../status-draft.ts';
import { announceRefusedSleep, dataLostMessage, reportRefusedSleep, setDataCondition } from './sleep-data-condition.ts';

/**
 * Puts the virtual cluster to sleep or wakes it, and returns its new state. The server wakes only a virtual cluster
 * that it put to sleep. An imported virtual cluster that was asleep before the import stays asleep.
 */
export async function sleepStep(
  context: HostStepContext,
  observed: HostedVirtualCluster,
  { sleepReason, isSleepNear }: SleepMode,
): Promise<HostedVirtualCluster | undefined> {
  const { driver, snapshot, dependencies, signal } = context;
  const { object, location, external, uid, profile } = snapshot;
  if (external || observed.phase === 'Removing') return observed;
  setDataCondition(context, observed);
  const isSleeping = observed.phase === 'Sleeping';
  if (isSleeping === (sleepReason !== undefined)) {
    if (isSleeping) return observed;
    if (wasPutToSleep(object)) recordWoken(context, observed);
    if (isSleepNear) await announceRefusedSleep(context);
    return observed;
  }
  if (sleepReason === undefined) {
    const isManagedSleep = observed.owner === uid || object.status?.phase === 'Sleeping';
    if (!isManagedSleep) return observed;
    await driver.wake(location, { signal });
    recordWoken(context, observed);
    return await driver.observe(location, { signal });
  }
  const unusedCheck = new UnusedCheck(snapshot, dependencies);
  const isShared = sleepReason === sleepUnusedReason && dependencies.activity.refresh !== undefined;
  try {
    await driver.sleep(location, {
      signal,
      acceptsDataLoss: snapshot.annotation(acceptDataLossAnnotation) === 'true',
      ...(isShared ? { isWanted: () => unusedCheck.isUnused() } : {}),
    });
  } catch (error) {
    if (!(error instanceof DataLossError)) throw error;
    reportRefusedSleep(context, error);
    return observed;
  }
  // The instance was not put to sleep, because it was used in the meantime. This use causes another reconcile.
  if (unusedCheck.wasUsed) return observed;
  const asleep = await driver.observe(location, { signal });
  if (asleep !== undefined) setDataCondition(context, asleep);
  const { message } = sleepStatusReason(sleepReason, profile.noun, asleep?.dataLostAt);
  dependencies.events.record(object, asleep?.dataLostAt === undefined ? 'Normal' : 'Warning', sleepReason, message);
  return asleep;
}

/**
 * True if the server has put the virtual cluster to sleep. If a gateway has woken the virtual cluster, this function
 * returns true until the status records the wake-up.
 */
function wasPutToSleep({ status }: Instance): boolean {
  return status?.phase === 'Sleeping' && (status.reason === sleepUnusedReason || status.reason === sleepForcedReason);
}

function recordWoken({ snapshot, dependencies }: HostStepContext, { dataLostAt }: HostedVirtualCluster): void {
  const { noun } = snapshot.profile;
  dependencies.events.record(snapshot.object, 'Normal', 'Woken', `Woke the ${noun}.`);
  if (dataLostAt === undefined) return;
  dependencies.events.record(snapshot.object, 'Warning', dataLostReason, dataLostMessage(noun, dataLostAt));
}

/**
 * Checks again, after the state of the virtual cluster was read, that no replica has observed a use of the instance.
 */
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

/**
 * Returns the reason why an instance sleeps. The message describes which data is kept and how to wake the virtual
 * cluster. `dataLostAt` is the time at which the sleep deleted the data of the virtual cluster; `undefined` if the data
 * is kept.
 */
export function sleepStatusReason(
  asleep: SleepMode['sleepReason'],
  noun: string,
  dataLostAt: string | undefined,
): StatusReason {
  const data =
    dataLostAt === undefined ? 'Its objects and persistent volumes are kept.' : dataLostMessage(noun, dataLostAt);
  if (asleep === sleepForcedReason) {
    const message = `Sleeping because the annotation ${sleepForceAnnotation} is set. ${data} Remove the annotation to wake the ${noun}.`;
    return { reason: asleep, message };
  }
  if (asleep !== undefined) {
    const message = `Sleeping because it was not used for the period in the annotation ${sleepAfterAnnotation}. ${data} The next request wakes it.`;
    return { reason: asleep, message };
  }
  return {
    reason: 'AsleepOnHost',
    message: 'Sleeping. It was put to sleep on its host cluster and must be woken there.',
  };
}
