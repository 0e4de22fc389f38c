import type { StepContext } from '../instance-dependencies.ts';
import type { StatusReason } from '../status-draft.ts';

/**
 * The reasons with which Kubernetes reports a failed pull of an image. They alternate as long as Kubernetes retries the
 * pull.
 */
const imagePullReasons: readonly string[] = ['ErrImagePull', 'ImagePullBackOff'];

/**
 * The reasons of a virtual cluster that is pending because its pods have a problem that the cluster may solve by itself, for
 * example by adding nodes.
 */
const pendingProblems: readonly string[] = ['Unschedulable', 'SchedulingGated'];

export function isPendingProblem(reason: string): boolean {
  return pendingProblems.includes(reason);
}

/**
 * Records a Warning event about a problem of an instance on its host. The event is recorded when the problem appears,
 * and when it appears again. A repeated problem increments the count of the existing event instead of creating a new
 * one, even if the message differs, for example in a number of restarts or an address.
 */
export function recordProblem({ snapshot, dependencies }: StepContext, { reason, message }: StatusReason): void {
  const { object } = snapshot;
  const before = object.status?.reason ?? '';
  const isPull = imagePullReasons.includes(reason);
  // Kubernetes reports ImagePullBackOff after each ErrImagePull, so this change of the reason is not a new problem.
  const isKnown = before === reason || (isPull && before === 'ErrImagePull');
  if (isKnown) return;
  const series = isPull ? 'ImagePull' : reason;
  dependencies.events.recordSeries(object, { type: 'Warning', reason, message, series });
}
