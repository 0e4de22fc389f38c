/** The facts on which the checklist for a new installation depends. A number is `undefined` until it is known. */
export interface FirstRunState {
  readonly onlineClusters: number | undefined;
  readonly projects: number | undefined;
  readonly templates: number | undefined;
  /** The number of users, including the administrator who set up the installation. */
  readonly users: number | undefined;
  readonly instances: number | undefined;
}

export interface FirstRunStep {
  readonly id: 'cluster' | 'project' | 'template' | 'instance' | 'invite';
  readonly isDone: boolean;
}

/** Returns the steps that make a new installation useful; `undefined` until they are known and when all are done. */
export function firstRunSteps(state: FirstRunState): readonly FirstRunStep[] | undefined {
  const { onlineClusters, projects, templates, users, instances } = state;
  const counts = [onlineClusters, projects, templates, users, instances];
  if (counts.includes(undefined)) return undefined;
  const steps: readonly FirstRunStep[] = [
    { id: 'cluster', isDone: (onlineClusters ?? 0) > 0 },
    { id: 'project', isDone: (projects ?? 0) > 0 },
    { id: 'template', isDone: (templates ?? 0) > 0 },
    { id: 'instance', isDone: (instances ?? 0) > 0 },
    { id: 'invite', isDone: (users ?? 0) > 1 },
  ];
  return steps.every(({ isDone }) => isDone) ? undefined : steps;
}
