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

/** The state of an instance, in the form that the pages of the console need. */
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
   * The phase of the instance as lists show it: `Terminating` during its deletion, `Quarantined` during a quarantine,
   * otherwise the phase in its status.
   */
  readonly phase: string;
  /**
   * True if the API of the instance responds. It may also respond in the phase `Failed`, so users can repair the
   * instance.
   */
  readonly isUsable: boolean;
  /**
   * The cause of the sleep, which determines how the instance is woken; `undefined` if it is awake. `use`: auto-sleep;
   * any request wakes the instance. `order`: a user put the instance to sleep, and a user must wake it. `elsewhere`:
   * the instance must be woken on its host.
   */
  readonly sleep: 'use' | 'order' | 'elsewhere' | undefined;
  /** The reason why the server refuses a requested sleep of the instance; '' if it does not refuse. */
  readonly sleepRefusal: string;
  /** True if the last sleep deleted everything in the instance. */
  readonly hasLostData: boolean;
  /**
   * The seconds without use after which the instance is put to sleep (`sleepAfter`) or deleted (`deleteAfter`);
   * `undefined` for never.
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
