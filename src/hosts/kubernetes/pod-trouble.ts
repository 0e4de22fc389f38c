import { listAt, numberAt, objectAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import type { PodTrouble } from './host-facts.ts';

/** Reasons for which a container waits, that nobody gets out of by waiting. */
const lasting: readonly string[] = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

/** Longer words of a container than these are cut: a log belongs into the log. */
const longestWords = 300;

/** Why a pod that is not ready is not, as far as its status tells; undefined: it starts. */
export function podTrouble(pod: JsonValue): PodTrouble | undefined {
  const name = textAt(pod, 'metadata', 'name');
  const containers = [...listAt(pod, 'status', 'initContainerStatuses'), ...listAt(pod, 'status', 'containerStatuses')];
  for (const container of containers) {
    const trouble = containerTrouble(container, name);
    if (trouble !== undefined) return trouble;
  }
  if (textAt(pod, 'status', 'phase') === 'Failed') {
    const words = textAt(pod, 'status', 'message') || textAt(pod, 'status', 'reason') || 'its containers have ended';
    return {
      reason: textAt(pod, 'status', 'reason') || 'PodFailed',
      message: `The pod ${name} has failed: ${cut(words)}.`,
      isLasting: true,
    };
  }
  const unscheduled = listAt(pod, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'status') === 'False',
  );
  if (unscheduled === undefined) return undefined;
  // More nodes may be on their way.
  const message = `No node takes the pod ${name}: ${cut(textAt(unscheduled, 'message'))}`;
  return { reason: textAt(unscheduled, 'reason') || 'Unschedulable', message, isLasting: false };
}

function containerTrouble(container: JsonValue, pod: string): PodTrouble | undefined {
  const waiting = objectAt(container, 'state', 'waiting');
  const reason = textAt(waiting, 'reason');
  if (!lasting.includes(reason)) return undefined;
  const where = `the container ${textAt(container, 'name')} of the pod ${pod}`;
  if (reason !== 'CrashLoopBackOff') {
    return {
      reason,
      message: `The image or the set-up of ${where} is of no use: ${cut(textAt(waiting, 'message') || reason)}.`,
      isLasting: true,
    };
  }
  const last = objectAt(container, 'lastState', 'terminated');
  const said = textAt(last, 'message') || textAt(last, 'reason');
  const code = numberAt(last, 'exitCode');
  const how = [...(code === undefined ? [] : [`exit code ${code}`]), ...(said === '' ? [] : [cut(said)])].join(', ');
  const times = numberAt(container, 'restartCount') ?? 0;
  const message = `${where} ends again and again (${times} times${how === '' ? '' : `, last with ${how}`}). Its log says more.`;
  return { reason, message: `T${message.slice(1)}`, isLasting: true };
}

function cut(words: string): string {
  const line = words.trim().replace(/\s+/g, ' ');
  return line.length > longestWords ? `…${line.slice(-longestWords)}` : line;
}
