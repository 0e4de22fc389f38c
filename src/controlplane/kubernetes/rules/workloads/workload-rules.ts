import type { KindRules, StructRules } from '../object-rules.ts';
import { controllerKinds, controllerRules } from './controller-rules.ts';
import { cronJobKinds, cronJobRules } from './cron-job-rules.ts';
import { daemonSetKinds, daemonSetRules } from './daemon-set-rules.ts';
import { deploymentKinds, deploymentRules } from './deployment-rules.ts';
import { jobKinds, jobRules } from './job-rules.ts';
import { statefulSetKinds, statefulSetRules } from './stateful-set-rules.ts';

/** The rules of the structs of workloads, except the structs of pod templates. */
export const workloadRules: Readonly<Record<string, StructRules>> = {
  ...controllerRules,
  ...cronJobRules,
  ...daemonSetRules,
  ...deploymentRules,
  ...jobRules,
  ...statefulSetRules,
};

export const workloadKinds: Readonly<Record<string, KindRules>> = {
  ...controllerKinds,
  ...cronJobKinds,
  ...daemonSetKinds,
  ...deploymentKinds,
  ...jobKinds,
  ...statefulSetKinds,
};
