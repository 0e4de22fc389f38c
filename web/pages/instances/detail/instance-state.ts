import { displayedPhase } from '../../../../src/api/columns.ts';
import type { Condition } from '../../../../src/api/conditions.ts';
import { parseSleepSeconds } from '../../../../src/api/management/parse-sleep-seconds.ts';
import {
  dataLostReason,
  sleepForcedReason,
  sleepKeepsDataCondition,
  sleepRefusal,
  sleepUnusedReason,
} from '../../../../src/api/management/sleep-reasons.ts';
import {
  deleteAfterAnnotation,
  projectOfNamespace,
  sleepAfterAnnotation,
  sleepForceAnnotation,
} from '../../../../src/api/naming.ts';
import type { Instance, InstanceType } from '../../../data/instance-types.ts';

type InstanceStatus = NonNullable<Instance['status']>;

/** The state of an instance, as the pages of the console need it. */
export interface InstanceState {
  readonly type: InstanceType;
  readonly object: Instance;
  readonly name: string;
  readonly namespace: string;
  readonly project: string;
  readonly spec: NonNullable<Instance['spec']>;
  readonly status: InstanceStatus;
  readonly conditions: readonly Condition[];
  /**
   * The phase of the instance as lists show it: `Terminating` while it is being deleted, `Quarantined` while it is in
   * quarantine, otherwise the phase of its status.
   */
  readonly phase: string;
  /**
   * True if the API of the instance responds. It may respond in phase `Failed` too, so that users can repair it.
   */
  readonly isUsable: boolean;
  /**
   * The cause of the sleep, which determines what wakes the instance; `undefined` if it is awake. `use`:
   * auto-sleep, any request wakes it. `order`: a user put it to sleep and must wake it. `elsewhere`: it must be woken
   * on its host.
   */
  readonly sleep: 'use' | 'order' | 'elsewhere' | undefined;
  /** The reason why the server does not put the instance to sleep, although it is to sleep; '' if it does not refuse that. */
  readonly sleepRefusal: string;
  /** True if the last sleep has deleted everything in the instance. */
  readonly hasLostData: boolean;
  /**
   * The number of seconds without use after which it is put to sleep (`deleteAfter`: deleted); `undefined` for never.
   */
  readonly sleepAfter: number | undefined;
  readonly deleteAfter: number | undefined;
}

export function instanceState(type: InstanceType, object: Instance): InstanceState {
  const { name = '', namespace = '', annotations = {} } = object.metadata;
  const { spec = {}, status = {} } = object;
  const { conditions = [] } = status;
  const phase = displayedPhase(object) ?? '';
  const isApiReady = conditions.some((each) => each.type === type.apiCondition && each.status === 'True');
  return {
    type,
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
    sleepRefusal: sleepRefusal(object)?.message ?? '',
    hasLostData: conditions.some((each) => each.type === sleepKeepsDataCondition && each.reason === dataLostReason),
    sleepAfter: parseSleepSeconds(annotations[sleepAfterAnnotation] ?? ''),
    deleteAfter: parseSleepSeconds(annotations[deleteAfterAnnotation] ?? ''),
  };
}

function sleepOf({ phase, reason }: InstanceStatus, isForced: boolean): InstanceState['sleep'] {
  if (phase !== 'Sleeping') return undefined;
  if (isForced || reason === sleepForcedReason) return 'order';
  return reason === sleepUnusedReason ? 'use' : 'elsewhere';
}

/** The display names of the conditions of an instance, by condition type. */
export const conditionLabels: Readonly<Record<string, string>> = {
  Scheduled: 'Cluster assigned',
  TemplateResolved: 'Template rendered',
  SpaceReady: 'Namespace ready',
  VirtualClusterDeployed: 'Installed',
  VirtualClusterReady: 'API available',
  Ready: 'Ready to use',
  [sleepKeepsDataCondition]: 'Data kept during sleep',
};

/** The reasons of conditions that are False because the instance sleeps. */
export const sleepReasons: readonly string[] = [sleepForcedReason, sleepUnusedReason, 'AsleepOnHost'];

const units = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3_600, one: 'hour', many: 'hours' },
  { seconds: 60, one: 'minute', many: 'minutes' },
] as const;

/** Returns a duration in the largest unit that divides it: "2 hours", "90 minutes". */
export function durationText(seconds: number): string {
  const unit = units.find((each) => seconds % each.seconds === 0);
  if (unit === undefined) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const count = seconds / unit.seconds;
  return `${count} ${count === 1 ? unit.one : unit.many}`;
}
