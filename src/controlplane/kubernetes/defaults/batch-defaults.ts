import { cloneJson, isJsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { objectMember, objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

/** The largest number of retries, for jobs that limit them per index. */
const unlimited = 2 ** 31 - 1;

const job: StructDefault = (object, now) => {
  const spec = objectMember(object, 'spec');
  if ((spec.completions ?? undefined) === undefined && (spec.parallelism ?? undefined) === undefined) {
    spec.completions = 1;
  }
  const isIndexed = (spec.backoffLimitPerIndex ?? undefined) !== undefined;
  setIfAbsent(spec, {
    parallelism: 1,
    backoffLimit: isIndexed ? unlimited : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: isJsonObject(spec.podFailurePolicy) ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
  });
  copyTemplateLabels(object, now);
};

/** Decoded objects without labels of their own. The defaults have set the labels of their pod template. */
const withTemplateLabels = new WeakSet<object>();

/** True if the defaults have set the labels of the pod template on a decoded object, because it had none. */
export function hasTemplateLabels(object: object): boolean {
  return withTemplateLabels.has(object);
}

/** Gives an object without labels those of its pod template. */
export const copyTemplateLabels: StructDefault = (object) => {
  const labels = objectOf(objectOf(objectOf(objectOf(object, 'spec'), 'template'), 'metadata'), 'labels');
  const metadata = objectMember(object, 'metadata');
  const own = objectOf(metadata, 'labels');
  if (labels === undefined || (own !== undefined && Object.keys(own).length > 0)) return;
  metadata.labels = cloneJson(labels);
  withTemplateLabels.add(object);
};

/** The defaults of batch/v1. */
export const batchDefaults: Readonly<Record<string, StructDefault>> = {
  'batch.Job': job,
  'batch.CronJobSpec': (spec) => {
    setIfZero(spec, { concurrencyPolicy: 'Allow' });
    setIfAbsent(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  },
  'batch.PodFailurePolicyOnPodConditionsPattern': (pattern) => setIfZero(pattern, { status: 'True' }),
};
