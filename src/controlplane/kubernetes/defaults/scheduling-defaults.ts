import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { setIfAbsent } from './set-defaults.ts';

/** The defaults of scheduling.k8s.io/v1. */
export const schedulingDefaults: Readonly<Record<string, StructDefault>> = {
  'scheduling.PriorityClass': (priorityClass) =>
    setIfAbsent(priorityClass, { preemptionPolicy: 'PreemptLowerPriority' }),
};
