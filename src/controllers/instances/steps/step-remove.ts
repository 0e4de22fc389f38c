import { isGracePeriodOver } from '../../../api/grace-period.ts';
import { abandonAnnotation, cleanupFinalizer } from '../../../api/naming.ts';
import { StatusError } from '../../../api/status.ts';
import { terminalReasons } from '../../../api/terminal-reasons.ts';
import type { InstanceDriver } from '../../../hosts/host.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import { ignoreNotFound } from '../../runtime/ignore-not-found.ts';
import type { InstanceDependencies } from '../instance-dependencies.ts';
import type { InstanceSnapshot } from '../instance-snapshot.ts';
import { StatusDraft } from '../status-draft.ts';
import { writeStatus } from '../write-status.ts';

/**
 * Fallback interval, in milliseconds, for checking a removal; normally the host reports its progress. Deleting ten
 * thousand instances takes about a minute. The interval is longer than that, so even such a deletion causes no checks.
 */
const retryMilliseconds = 120_000;
/**
 * The interval, in milliseconds, for checking the removal of an imported virtual cluster. No watch of the host reports
 * the progress: the namespace is kept, and the pods of the virtual cluster's tenants end one by one.
 */
const importedRetryMilliseconds = 5_000;
/**
 * Maximum time, in milliseconds, between checks during a grace period. The limit is needed because the wall clock may
 * be changed.
 */
const maxCheckIntervalMs = 30_000;

/**
 * Handles an instance that is being deleted. First removes its virtual cluster or space from the host. When the host
 * reports that nothing remains, removes the finalizer of the instance.
 */
export async function removeInstanceStep(
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { object, cluster, external, profile, importedUid } = snapshot;
  const now = dependencies.clock.now();
  if (!isGracePeriodOver(object, now)) {
    const remaining = Date.parse(object.metadata.deletionTimestamp ?? '') - now;
    return { requeueAfterMilliseconds: Math.min(remaining, maxCheckIntervalMs) };
  }
  if (!(object.metadata.finalizers ?? []).includes(cleanupFinalizer)) return undefined;
  const abandoned = snapshot.annotation(abandonAnnotation);
  const host = dependencies.driverOf(cluster);
  if (abandoned !== '') {
    const message = `Abandoned: ${abandoned}. Objects that remain on cluster "${cluster}" are no longer managed.`;
    dependencies.events.record(object, 'Warning', 'Abandoned', message);
  } else if (external) {
    await release(host, snapshot, dependencies, signal);
  } else if (host !== undefined) {
    try {
      if (!(await removeFromHost(host, snapshot, dependencies, signal)))
        return { requeueAfterMilliseconds: importedUid === '' ? retryMilliseconds : importedRetryMilliseconds };
    } catch (error) {
      if (error instanceof StatusError) await reportFailure(snapshot, dependencies, error.message, signal);
      throw error;
    }
    dependencies.events.record(object, 'Normal', 'Removed', `Removed the ${profile.noun} from cluster "${cluster}".`);
  } else if (snapshot.observedUid !== '') {
    const replaced = await dependencies.replacedCluster?.(cluster, signal);
    if (replaced?.reason !== terminalReasons.agentDataLost) {
      const detail = replaced?.message ?? `cluster "${cluster}" is not connected`;
      await reportFailure(snapshot, dependencies, detail, signal);
      throw new Error(detail);
    }
    const message = `The ${profile.noun} was lost with the data directory of the agent of cluster "${cluster}".`;
    dependencies.events.record(object, 'Warning', 'Removed', message);
  }
  await dropFinalizer(snapshot, dependencies, signal);
  return undefined;
}

/**
 * Removes the server's role bindings from an external virtual cluster. If the host is unreachable, keeps the bindings,
 * because an unreachable host must not block the deletion of the instance.
 */
async function release(
  host: InstanceDriver | undefined,
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
) {
  const { object, location, cluster, observedUid } = snapshot;
  let failure = '';
  try {
    const observed = await host?.observe(location, { signal });
    const isExpected = observedUid !== '' && observed?.uid === observedUid;
    if (host !== undefined && isExpected) await dependencies.contents.release(snapshot, dependencies, signal);
    else if (host === undefined) failure = `cluster "${cluster}" is not connected`;
  } catch (error) {
    if (signal.aborted || !(error instanceof StatusError)) throw error;
    failure = error.message;
  }
  const message = 'Released the virtual cluster. It is managed externally and keeps running.';
  if (failure === '') dependencies.events.record(object, 'Normal', 'Released', message);
  else {
    const failedMessage = `${message} The role bindings of its users could not be removed: ${failure}.`;
    dependencies.events.record(object, 'Warning', 'Released', failedMessage);
  }
}

async function removeFromHost(
  host: InstanceDriver,
  snapshot: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { location, uid, observedUid, importedUid, object, cluster, profile } = snapshot;
  const observed = await host.observe(location, { signal });
  // Check the observed owner first, because the status may lack the uid: the server may have crashed right after the
  // installation. The status never contains the uid of a virtual cluster that belongs to another instance.
  const ownUid = observed?.owner === uid ? observed.uid : importedUid || observedUid || 'none';
  if (observed !== undefined && observed.uid === ownUid && observed.phase !== 'Removing') {
    const message = `Removing ${profile.describe(location)} from cluster "${cluster}".`;
    dependencies.events.record(object, 'Normal', 'Removing', message);
  }
  return await host.remove(location, { owner: uid, uid: ownUid }, { signal });
}

async function reportFailure(
  { object, cluster, profile }: InstanceSnapshot,
  dependencies: InstanceDependencies,
  detail: string,
  signal: AbortSignal,
): Promise<void> {
  const message =
    `Cannot remove the ${profile.noun} from cluster "${cluster}": ${detail}. Retrying automatically. ` +
    `If the cluster is gone permanently, an admin can abandon the instance with the annotation ${abandonAnnotation}: "<reason>".`;
  const draft = new StatusDraft(object, dependencies.clock.now());
  draft.setPhase('Failed', { reason: 'RemovalFailed', message });
  dependencies.events.record(object, 'Warning', 'RemovalFailed', message);
  await writeStatus(dependencies.instances, object, draft, signal);
}

async function dropFinalizer(
  { object, namespace, name }: InstanceSnapshot,
  dependencies: InstanceDependencies,
  signal: AbortSignal,
) {
  const { finalizers = [], resourceVersion = '' } = object.metadata;
  const remainingFinalizers = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  const patch = { metadata: { resourceVersion, finalizers: remainingFinalizers } };
  await ignoreNotFound(dependencies.instances.patch({ namespace, name }, patch, { signal }));
}
