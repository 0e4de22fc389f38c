import { isJsonObject } from '@flotilla/json';
import { required } from '../../../../api/field-error.ts';
import { notNegative } from '../checks.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { atMostReplicas, notNegativeCounts } from './status-checks.ts';
import { longRunningPods, matchesLabels, templateLabels, unmatchedTemplate } from './template-checks.ts';

const selector: Check = function* (value, { path }) {
  if (!isJsonObject(value) || Object.keys(value).length === 0) yield required(path);
};

const template: Check = function* (value, { path, parent }) {
  if (!isJsonObject(value)) {
    yield required(path);
    return;
  }
  const matchLabels = isJsonObject(parent.selector) ? parent.selector : {};
  const labels = templateLabels(value);
  if (!matchesLabels({ matchLabels }, labels)) yield unmatchedTemplate(path, labels);
};

const podsAreRestarted = longRunningPods('ReplicationController');

/** The rules of replication controllers. The selector of a replication controller is a map of labels. */
export const controllerRules: Readonly<Record<string, StructRules>> = {
  'core.ReplicationControllerSpec': {
    members: { minReadySeconds: [notNegative], selector: [selector], replicas: [notNegative], template: [template] },
    after: [
      (spec, position) => (isJsonObject(spec) && isJsonObject(spec.template) ? podsAreRestarted(spec, position) : []),
    ],
  },
};

export const controllerKinds: Readonly<Record<string, KindRules>> = {
  'core.ReplicationController': {
    update: ['structs'],
    status: [
      notNegativeCounts('replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'),
      atMostReplicas(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
    ],
  },
};
