import type { Condition } from '../../../../src/api/conditions.ts';

export interface ReadyStep {
  readonly type: string;
  readonly state: 'done' | 'doing' | 'held' | 'waiting';
  /** The reason and the next step; '' if there is none. */
  readonly message: string;
  /** Milliseconds since the creation; `undefined` if not completed or unknown. */
  readonly after: number | undefined;
}

/** The conditions in the order in which they become True. */
export const readySteps = [
  'Scheduled',
  'TemplateResolved',
  'SpaceReady',
  'VirtualClusterDeployed',
  'VirtualClusterReady',
  'Ready',
] as const;

/**
 * Returns the progress of a virtual cluster. The first step that is not done is in progress, or blocked if its
 * condition is False; the message then states the cause. A sleeping virtual cluster has completed all steps.
 */
export function stepsToReady(conditions: readonly Condition[], created: string | undefined): readonly ReadyStep[] {
  let isOpen = true;
  return readySteps.map((type) => {
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

/** "immediately", "after 3 s", "after 2 min 5 s"; the server reports whole seconds. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds === 0) return 'immediately';
  if (seconds < 60) return `after ${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `after ${minutes} min` : `after ${minutes} min ${rest} s`;
}
