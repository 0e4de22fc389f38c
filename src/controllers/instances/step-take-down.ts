import { isGraceOver } from '../../api/grace-period.ts';
import { abandonAnnotation, cleanupFinalizer } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import type { Host } from '../../hosts/host.ts';
import type { Outcome } from '../runtime/controller.ts';
import { unlessGone } from '../runtime/unless-gone.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceNeeds } from './instance-needs.ts';
import { StatusDraft } from './status-draft.ts';
import { leaveInside } from './step-inside.ts';
import { writeStatus } from './write-status.ts';

/**
 * The host tells when something goes on; this is for what it does not tell. Ten thousand that go at the same time take
 * a minute, and are not to be looked at in between.
 */
const lookAgainMilliseconds = 120_000;
/** In a long grace period it is looked again from time to time: somebody may have set the clock. */
const longestRest = 30_000;

/**
 * An instance that is being deleted: first what it has on its host, then, when the host says that nothing of it is left,
 * the finalizer that held it.
 */
export async function takeDownStep(facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal): Promise<Outcome> {
  const { object, cluster, external } = facts;
  const now = needs.clock.now();
  if (!isGraceOver(object, now)) {
    const left = Date.parse(object.metadata.deletionTimestamp ?? '') - now;
    return { againAfterMilliseconds: Math.min(left, longestRest) };
  }
  if (!(object.metadata.finalizers ?? []).includes(cleanupFinalizer)) return undefined;
  const abandoned = facts.annotation(abandonAnnotation);
  const host = needs.hostOf(cluster);
  if (abandoned !== '') {
    const message = `Abandoned: ${abandoned}. Whatever is left of it on the cluster ${cluster} is nobody's any more.`;
    needs.events.record(object, 'Warning', 'Abandoned', message);
  } else if (external) {
    await release(host, facts, needs, signal);
  } else if (host !== undefined) {
    try {
      if (!(await isGone(host, facts, needs, signal))) return { againAfterMilliseconds: lookAgainMilliseconds };
    } catch (error) {
      if (error instanceof StatusError) await reportFailure(facts, needs, error.message, signal);
      throw error;
    }
    needs.events.record(object, 'Normal', 'Removed', `Nothing of it is left on the cluster ${cluster}.`);
  } else if (facts.serviceUid !== '') {
    const detail = `there is no way to the cluster ${cluster}`;
    await reportFailure(facts, needs, detail, signal);
    throw new Error(detail);
  }
  await dropFinalizer(facts, needs, signal);
  return undefined;
}

/** It goes on without what was put into it. What cannot be reached now keeps that: a host that is gone holds nobody's object. */
async function release(host: Host | undefined, facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal) {
  const { object, place, cluster, serviceUid } = facts;
  let left = '';
  try {
    const observed = await host?.observe(place, { signal });
    const isIt = serviceUid !== '' && observed?.uid === serviceUid;
    if (host !== undefined && isIt) await leaveInside(host, facts, needs, signal);
    else if (host === undefined) left = `there is no way to the cluster ${cluster}`;
  } catch (error) {
    if (signal.aborted || !(error instanceof StatusError)) throw error;
    left = error.message;
  }
  const message = 'The virtual cluster is managed elsewhere and goes on.';
  if (left === '') needs.events.record(object, 'Normal', 'Released', message);
  else {
    const kept = `${message} The bindings of its users' roles stayed in it: ${left}.`;
    needs.events.record(object, 'Warning', 'Released', kept);
  }
}

async function isGone(host: Host, facts: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal): Promise<boolean> {
  const { place, uid, serviceUid, importedUid, object, cluster } = facts;
  const observed = await host.observe(place, { signal });
  // What was installed just before a crash is not in the status yet; what somebody else made there never is.
  const own = observed?.owner === uid ? observed.uid : importedUid || serviceUid || 'none';
  if (observed !== undefined && observed.uid === own && observed.phase !== 'Removing') {
    const message = `Removing the virtual cluster ${place.name} from the cluster ${cluster}.`;
    needs.events.record(object, 'Normal', 'Removing', message);
  }
  return await host.remove(place, { owner: uid, uid: own }, { signal });
}

async function reportFailure(
  { object, cluster }: InstanceFacts,
  needs: InstanceNeeds,
  detail: string,
  signal: AbortSignal,
): Promise<void> {
  const message =
    `It cannot be removed from the cluster ${cluster}: ${detail}. The server tries again by itself. ` +
    `If the cluster never comes back, an admin can let go of it with the annotation ${abandonAnnotation}: "<reason>".`;
  const draft = new StatusDraft(object, needs.clock.now());
  draft.conclude('Failed', { reason: 'RemovalFailed', message });
  needs.events.record(object, 'Warning', 'RemovalFailed', message);
  await writeStatus(needs.instances, object, draft, signal);
}

async function dropFinalizer({ object, namespace, name }: InstanceFacts, needs: InstanceNeeds, signal: AbortSignal) {
  const { finalizers = [], resourceVersion = '' } = object.metadata;
  const kept = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  const patch = { metadata: { resourceVersion, finalizers: kept } };
  await unlessGone(needs.instances.patch({ namespace, name }, patch, { signal }));
}
