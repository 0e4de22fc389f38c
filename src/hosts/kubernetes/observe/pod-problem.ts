import { type JsonValue, listAt, numberAt, objectAt, textAt } from '@flotilla/json';
import type { PodProblem } from './object-summaries.ts';

/** Reasons why a container waits. Each of these reasons persists until a user does something about it. */
const permanentReasons: readonly string[] = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

/**
 * The maximum length of a container's message. A longer message is truncated; the full text is in the container's log.
 */
const maxMessageLength = 300;

/** Returns the reason why a pod is not ready, from its status; `undefined` if the pod is just starting. */
export function podProblem(pod: JsonValue): PodProblem | undefined {
  const name = textAt(pod, 'metadata', 'name');
  const containers = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  for (const container of containers) {
    const problem = containerProblem(container, name);
    if (problem !== undefined) return problem;
  }
  if (textAt(pod, 'status', 'phase') === 'Failed') {
    const message = textAt(pod, 'status', 'message') || textAt(pod, 'status', 'reason') || 'its containers terminated';
    return {
      reason: textAt(pod, 'status', 'reason') || 'PodFailed',
      message: `The pod ${name} has failed: ${truncate(message)}.`,
      isPermanent: true,
    };
  }
  const unscheduled = listAt(pod, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'status') === 'False',
  );
  if (unscheduled === undefined) return undefined;
  // Not permanent, because the cluster may be adding nodes.
  const message = `The pod ${name} cannot be scheduled: ${truncate(textAt(unscheduled, 'message'))}`;
  return { reason: textAt(unscheduled, 'reason') || 'Unschedulable', message, isPermanent: false };
}

function containerProblem(container: JsonValue, pod: string): PodProblem | undefined {
  const waiting = objectAt(container, 'state', 'waiting');
  const reason = textAt(waiting, 'reason');
  if (!permanentReasons.includes(reason)) return undefined;
  const where = `the container ${textAt(container, 'name')} of the pod ${pod}`;
  if (reason !== 'CrashLoopBackOff') {
    return {
      reason,
      message: `The image or configuration of ${where} is invalid: ${truncate(textAt(waiting, 'message') || reason)}.`,
      isPermanent: true,
    };
  }
  const last = objectAt(container, 'lastState', 'terminated');
  const lastMessage = textAt(last, 'message') || textAt(last, 'reason');
  const code = numberAt(last, 'exitCode');
  const details = [
    ...(code === undefined ? [] : [`exit code ${code}`]),
    ...(lastMessage === '' ? [] : [truncate(lastMessage)]),
  ].join(', ');
  const restarts = numberAt(container, 'restartCount') ?? 0;
  const message = `${where} keeps crashing (${restarts} restarts${details === '' ? '' : `, last with ${details}`}). See its log for details.`;
  return { reason, message: `T${message.slice(1)}`, isPermanent: true };
}

function truncate(message: string): string {
  const line = message.trim().replace(/\s+/g, ' ');
  return line.length > maxMessageLength ? `…${line.slice(-maxMessageLength)}` : line;
}
