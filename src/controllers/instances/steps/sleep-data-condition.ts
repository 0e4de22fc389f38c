import {
  dataLostReason,
  sleepKeepsDataCondition,
  sleepRefusedReason,
  sleepWouldLoseDataReason,
} from '../../../api/management/sleep-reasons.ts';
import { acceptDataLossAnnotation } from '../../../api/naming.ts';
import type { DataLossError } from '../../../hosts/data-loss-error.ts';
import type { HostedVirtualCluster } from '../../../hosts/host.ts';
import type { HostStepContext, StepContext } from '../instance-dependencies.ts';

/** Reports that an instance is not put to sleep, because it would lose its data. */
export function reportRefusedSleep({ snapshot, draft, dependencies }: StepContext, { detail }: DataLossError): void {
  const { object, profile } = snapshot;
  const message = `Not put to sleep, because everything in the ${profile.noun} would be lost: ${detail}. ${remedy}`;
  draft.setCondition(sleepKeepsDataCondition, 'False', { reason: sleepRefusedReason, message });
  const isKnown = object.status?.conditions?.some(
    (condition) => condition.type === sleepKeepsDataCondition && condition.message === message,
  );
  if (isKnown !== true) dependencies.events.record(object, 'Warning', sleepRefusedReason, message);
}

/**
 * Reports that auto-sleep is due soon but will be refused. Because of this report, people are not notified about the
 * sleep.
 */
export async function announceRefusedSleep({ snapshot, draft, driver, signal }: HostStepContext): Promise<void> {
  if (snapshot.annotation(acceptDataLossAnnotation) === 'true') return;
  const detail = await driver.sleepDataLoss?.(snapshot.location, { signal });
  if (detail === undefined) return;
  const message = `Auto-sleep will not happen, because everything in the ${snapshot.profile.noun} would be lost: ${detail}. ${remedy}`;
  draft.setCondition(sleepKeepsDataCondition, 'False', { reason: sleepWouldLoseDataReason, message });
}

const remedy = `Give it a persistent volume. If the loss is acceptable, set the annotation ${acceptDataLossAnnotation} to "true".`;

/**
 * Sets the condition of an instance whose last sleep has deleted its data. Removes the condition from any other
 * instance.
 */
export function setDataCondition({ snapshot, draft }: StepContext, observed: HostedVirtualCluster): void {
  if (observed.dataLostAt === undefined) {
    draft.removeCondition(sleepKeepsDataCondition);
    return;
  }
  const message = dataLostMessage(snapshot.profile.noun, observed.dataLostAt);
  draft.setCondition(sleepKeepsDataCondition, 'False', { reason: dataLostReason, message });
}

export function dataLostMessage(noun: string, dataLostAt: string): string {
  return (
    `The ${noun} has no persistent volume. The sleep that began at ${dataLostAt} deleted everything in it, ` +
    `as the annotation ${acceptDataLossAnnotation} allows. It starts empty, with the objects of its template.`
  );
}
