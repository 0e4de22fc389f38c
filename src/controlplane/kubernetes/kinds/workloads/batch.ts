import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
  valueAt,
} from '@flotilla/json';
import { ageColumn, column } from '../../../../api/columns.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { formatAge, formatDuration } from '../../../../api/table.ts';
import { hasTemplateLabels } from '../../defaults/batch-defaults.ts';
import type { KubernetesKind } from '../../kubernetes-kind.ts';
import { rulesOf, statusRulesOf } from '../../rules/kind-rules.ts';
import { jobLabels } from '../../rules/workloads/job-rules.ts';
import { integerColumn } from '../columns.ts';
import { nameWarnings } from './name-warnings.ts';
import { containerColumns, selectorColumn } from './workload-columns.ts';

const group = 'batch';
const manyCompletions = 100_000;
const manyPods = 10_000;

function memberObject(parent: JsonObject, name: string): JsonObject {
  const member = parent[name];
  const made: JsonObject = isJsonObject(member) ? member : {};
  parent[name] = made;
  return made;
}

/**
 * Generates the selector of a new job, and the labels that the selector matches. Does nothing if the client manages the
 * selector itself.
 */
function generateSelector(object: KubeObject, old: KubeObject | undefined, sent: KubeObject | undefined): void {
  const spec = memberObject(object as JsonObject, 'spec');
  if (old !== undefined || spec.manualSelector === true) return;
  const { name = '', uid = '' } = object.metadata;
  const labels = memberObject(memberObject(memberObject(spec, 'template'), 'metadata'), 'labels');
  for (const key of [jobLabels.legacyName, jobLabels.name]) labels[key] ??= name;
  for (const key of [jobLabels.legacyUid, jobLabels.uid]) labels[key] ??= uid;
  memberObject(memberObject(spec, 'selector'), 'matchLabels')[jobLabels.uid] ??= uid;
  // A job without labels gets the labels of its pods. Labels that the defaults have copied from the sent pod template
  // count as absent.
  const isUnlabeled = object.metadata.labels === undefined || (sent !== undefined && hasTemplateLabels(sent));
  if (isUnlabeled) object.metadata.labels = { ...labels } as Record<string, string>;
}

function manyIndexesWarnings(spec: JsonValue | undefined, path: string): string[] {
  const isMany =
    textAt(spec, 'completionMode') === 'Indexed' &&
    (numberAt(spec, 'completions') ?? 0) > manyCompletions &&
    (numberAt(spec, 'parallelism') ?? 0) > manyPods;
  if (!isMany) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}

function isSpecChanged(object: KubeObject, old: KubeObject | undefined): boolean {
  return object.metadata.generation !== old?.metadata.generation;
}

function jobWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = valueAt(object as JsonValue, 'spec');
  return [...nameWarnings(object, old), ...(isSpecChanged(object, old) ? manyIndexesWarnings(spec, 'spec') : [])];
}

function isConditionTrue(object: KubeObject, type: string): boolean {
  const found = listAt(object as JsonValue, 'status', 'conditions').find((one) => textAt(one, 'type') === type);
  return textAt(found, 'status') === 'True';
}

function jobState(object: KubeObject): string {
  if (isConditionTrue(object, 'Complete')) return 'Complete';
  if (isConditionTrue(object, 'Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const state = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => isConditionTrue(object, type));
  return state ?? 'Running';
}

function completionsOf(object: KubeObject): string {
  const succeeded = numberAt(object as JsonValue, 'status', 'succeeded') ?? 0;
  const completions = numberAt(object as JsonValue, 'spec', 'completions');
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = numberAt(object as JsonValue, 'spec', 'parallelism') ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf(object: KubeObject, now: number): string {
  const start = textAt(object as JsonValue, 'status', 'startTime');
  const end = textAt(object as JsonValue, 'status', 'completionTime');
  if (start === '') return '';
  return formatDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

/** Jobs of batch/v1. No component starts their pods on the built-in cluster. */
const job: KubernetesKind = {
  ...rulesOf('batch.Job'),
  group,
  plural: 'jobs',
  categories: ['all'],
  namespaced: true,
  description: 'A task that ends when enough of its pods have succeeded.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  selectableFields: ['status.successful'],
  orphansDependents: {
    warning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  prepare: generateSelector,
  status: { keeps: [], ...statusRulesOf('batch.Job') },
  warnings: jobWarnings,
  columns: [
    column('Status', jobState, { description: 'The state of the job.' }),
    column('Completions', completionsOf, { description: 'The numbers of succeeded and of desired pods.' }),
    column('Duration', durationOf, { description: 'The time from the start to the end of the job.' }),
    ageColumn,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
};

function cronJobWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const spec = valueAt(object as JsonValue, 'spec', 'jobTemplate', 'spec');
  const hasZone = old !== undefined && textAt(object as JsonValue, 'spec', 'schedule').includes('TZ');
  return [
    ...nameWarnings(object, old),
    ...(isSpecChanged(object, old) ? manyIndexesWarnings(spec, 'spec.jobTemplate.spec') : []),
    ...(hasZone
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : []),
  ];
}

function suspendedText(object: KubeObject): string {
  const suspend = objectAt(object as JsonValue, 'spec')?.suspend ?? undefined;
  if (suspend === undefined) return '<unset>';
  return suspend === true ? 'True' : 'False';
}

/** Cron jobs of batch/v1. No component creates their jobs on the built-in cluster. */
const cronJob: KubernetesKind = {
  ...rulesOf('batch.CronJob'),
  group,
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  namespaced: true,
  description: 'A schedule on which jobs are created.',
  generation: { first: 1, increasedBy: 'spec' },
  unconditionalUpdate: true,
  status: { keeps: [] },
  warnings: cronJobWarnings,
  columns: [
    column('Schedule', 'spec.schedule', { description: 'The schedule in the format of cron.' }),
    column('Timezone', (object) => textAt(object as JsonValue, 'spec', 'timeZone') || '<none>', {
      description: 'The time zone of the schedule.',
    }),
    { ...column('Suspend', suspendedText, { description: 'True if no jobs are created.' }), announcedType: 'boolean' },
    integerColumn(
      'Active',
      (object) => listAt(object as JsonValue, 'status', 'active').length,
      'The number of jobs that run.',
    ),
    column(
      'Last Schedule',
      (object, now) => {
        const last = textAt(object as JsonValue, 'status', 'lastScheduleTime');
        return last === '' ? '<none>' : formatAge(last, now);
      },
      { description: 'The time since a job was last created.' },
    ),
    ageColumn,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
  ],
};

/** The kinds of batch/v1. */
export const batchKinds: readonly KubernetesKind[] = [job, cronJob];
