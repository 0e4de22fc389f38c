import type { Condition } from '../../../../src/api/conditions.ts';
import { parseSleepSeconds } from '../../../../src/api/management/parse-sleep-seconds.ts';
import { sleepForcedReason, sleepUnusedReason } from '../../../../src/api/management/sleep-reasons.ts';
import type {
  VirtualClusterInstance,
  VirtualClusterInstanceSpec,
  VirtualClusterInstanceStatus,
} from '../../../../src/api/management/v1/virtual-cluster-instance.ts';
import {
  deleteAfterAnnotation,
  projectOfNamespace,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../../../src/api/naming.ts';

/** The state of an instance as the pages use it. */
export interface InstanceState {
  readonly object: VirtualClusterInstance;
  readonly name: string;
  readonly namespace: string;
  readonly project: string;
  readonly spec: VirtualClusterInstanceSpec;
  readonly status: VirtualClusterInstanceStatus;
  readonly conditions: readonly Condition[];
  /** `Terminating` during a deletion, whatever the phase. */
  readonly phase: string;
  /** True if its API responds. A virtual cluster that failed later is still usable for repairs. */
  readonly isUsable: boolean;
  /** The action that wakes it: any use, removing its annotation, or an action on its host. */
  readonly sleep: 'use' | 'order' | 'elsewhere' | undefined;
  /** Seconds without use; `undefined` for never. */
  readonly sleepAfter: number | undefined;
  readonly deleteAfter: number | undefined;
}

export function instanceState(object: VirtualClusterInstance): InstanceState {
  const { name = '', namespace = '', annotations = {}, deletionTimestamp } = object.metadata;
  const { spec = {}, status = {} } = object;
  const { conditions = [] } = status;
  const phase = deletionTimestamp === undefined ? (status.phase ?? '') : 'Terminating';
  const isApiReady = conditions.some((each) => each.type === 'VirtualClusterReady' && each.status === 'True');
  return {
    object,
    name,
    namespace,
    project: projectOfNamespace(namespace) ?? namespace,
    spec,
    status,
    conditions,
    phase,
    isUsable: phase === 'Ready' || (phase === 'Failed' && isApiReady),
    sleep: sleepOf(status, annotations[sleepForceAnnotation] === 'true'),
    sleepAfter: parseSleepSeconds(annotations[sleepAfterAnnotation] ?? ''),
    deleteAfter: parseSleepSeconds(annotations[deleteAfterAnnotation] ?? ''),
  };
}

function sleepOf({ phase, reason }: VirtualClusterInstanceStatus, isForced: boolean): InstanceState['sleep'] {
  if (phase !== 'Sleeping') return undefined;
  if (isForced || reason === sleepForcedReason) return 'order';
  return reason === sleepUnusedReason ? 'use' : 'elsewhere';
}

/** The display names of the conditions. */
export const conditionLabels: Readonly<Record<string, string>> = {
  Scheduled: 'Cluster assigned',
  TemplateResolved: 'Template rendered',
  SpaceReady: 'Namespace ready',
  VirtualClusterDeployed: 'Installed',
  VirtualClusterReady: 'API available',
  Ready: 'Ready to use',
};

/** The reasons for sleep. */
export const sleepReasons: readonly string[] = [sleepForcedReason, sleepUnusedReason, 'AsleepOnHost'];

const units = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3_600, one: 'hour', many: 'hours' },
  { seconds: 60, one: 'minute', many: 'minutes' },
] as const;

/** "2 hours", "90 minutes": the largest exact unit. */
export function durationText(seconds: number): string {
  const unit = units.find((each) => seconds % each.seconds === 0);
  if (unit === undefined) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const count = seconds / unit.seconds;
  return `${count} ${count === 1 ? unit.one : unit.many}`;
}
