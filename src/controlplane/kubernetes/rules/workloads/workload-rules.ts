import type { KindRules, StructRules } from '../object-rules.ts';
import { daemonSetKinds, daemonSetRules } from './daemon-set-rules.ts';
import { deploymentKinds, deploymentRules } from './deployment-rules.ts';
import { statefulSetKinds, statefulSetRules } from './stateful-set-rules.ts';

/** The rules of the structs of workloads, except those of pod templates. */
export const workloadRules: Readonly<Record<string, StructRules>> = {
  ...daemonSetRules,
  ...deploymentRules,
  ...statefulSetRules,
};

export const workloadKinds: Readonly<Record<string, KindRules>> = {
  ...daemonSetKinds,
  ...deploymentKinds,
  ...statefulSetKinds,
};
