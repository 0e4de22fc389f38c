import type { Condition } from '../../../../src/api/conditions.ts';

export interface ReadyStep {
  readonly type: string;
  readonly state: 'done' | 'doing' | 'held' | 'waiting';
  /** The message of the condition, which explains the cause; '' if there is none. */
  readonly message: string;
  /**
   * The milliseconds from the creation of the instance until the step was done; `undefined` if the step is not done or
   * the time is unknown.
   */
  readonly after: number | undefined;
}

/**
 * Returns the steps of an instance until it is Ready. `types` are the instance's condition types in the order of the
 * steps. The first unfinished step is in progress (`doing`), or blocked (`held`) if its condition is False. The message
 * of a blocked step explains the cause. All later steps are `waiting`.
 */
export function stepsToReady(
  types: readonly string[],
  conditions: readonly Condition[],
  created: string | undefined,
): readonly ReadyStep[] {
  let isOpen = true;
  return types.map((type) => {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status === 'True') {
      const since = Date.parse(condition.lastTransitionTime ?? '') - Date.parse(created ?? '');
      return { type, state: 'done', message: '', after: Number.isNaN(since) ? undefined : Math.max(since, 0) };
    }
    const isFirst = isOpen;
    isOpen = false;
    const message = condition?.message ?? '';
    if (!isFirst) return { type, state: 'waiting', message: '', after: undefined };
    return { type, state: condition?.status === 'False' ? 'held' : 'doing', message, after: undefined };
  });
}

/** Returns the time of a step as text: "immediately", "after 3 s" or "after 2 min 5 s". */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds === 0) return 'immediately';
  if (seconds < 60) return `after ${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `after ${minutes} min` : `after ${minutes} min ${rest} s`;
}
