import type { Condition } from '../conditions.ts';
import type { KubeObject } from '../meta.ts';

/** The reason in a status and in conditions that no controller has written yet. */
export const notReconciledReason = 'NotReconciled';

const message = 'The server has not processed this object yet.';
const conditionMessage = 'Not determined yet.';

/** The status fields that every kind with a condition `Ready` has. */
export type InitialStatus = {
  phase: string;
  reason: string;
  message: string;
  observedGeneration: number;
  conditions: Condition[];
};

/**
 * Returns the status of a new object, before a controller has reconciled the object. Many tools consider an object
 * without status to be ready. This status makes them wait: every condition is Unknown, and no generation is observed.
 */
export function initialStatus(conditionTypes: readonly string[], { metadata }: KubeObject): InitialStatus {
  const { creationTimestamp } = metadata;
  const conditions = conditionTypes.map(
    (type): Condition => ({
      type,
      status: 'Unknown',
      reason: notReconciledReason,
      message: conditionMessage,
      observedGeneration: 0,
      ...(creationTimestamp === undefined ? {} : { lastTransitionTime: creationTimestamp }),
    }),
  );
  return { phase: 'Pending', reason: notReconciledReason, message, observedGeneration: 0, conditions };
}
