import { cloneJson, isJsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { objectMember, objectOf, setIfAbsent, setIfZero } from './set-defaults.ts';

/** The number of retries of a job that limits retries per index: the largest possible number. */
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

/**
 * Decoded objects that had no labels before the defaults were set. The defaults have copied the labels of the pod
 * template to these objects.
 */
const withTemplateLabels = new WeakSet<object>();

/** True if a decoded object had no labels, and the defaults have set its labels to those of its pod template. */
export function hasTemplateLabels(object: object): boolean {
  return withTemplateLabels.has(object);
}

/** Sets the labels of an object without labels to the labels of its pod template. */
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
