import type { Condition } from '../../../../src/api/conditions.ts';

export interface ReadyStep {
  readonly type: string;
  readonly state: 'done' | 'doing' | 'held' | 'waiting';
  /** Why, and what to do; '' where there is nothing to say. */
  readonly message: string;
  /** Milliseconds after the creation; undefined: not yet, or not known. */
  readonly after: number | undefined;
}

/** In the order in which they come true. */
export const readySteps = [
  'Scheduled',
  'TemplateResolved',
  'SpaceReady',
  'VirtualClusterDeployed',
  'VirtualClusterReady',
  'Ready',
] as const;

/**
 * How far a virtual cluster is. The first step that is not done is what is going on; one whose condition says False
 * waits for something, and says what. A sleeping one has been through all of them.
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

/** "at once", "after 3 s", "after 2 min 5 s": the server tells whole seconds. */
export function afterText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds === 0) return 'at once';
  if (seconds < 60) return `after ${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `after ${minutes} min` : `after ${minutes} min ${rest} s`;
}
