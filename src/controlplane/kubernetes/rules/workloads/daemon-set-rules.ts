import { isJsonObject, type JsonObject } from '@flotilla/json';
import { type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { labelSelectorErrors } from '../../../../api/selectors/selector-object.ts';
import { immutableStruct, notNegative } from '../checks.ts';
import { invalidStruct, notSupportedStruct } from '../field-rules.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { internalRollingUpdate } from './deployment-rules.ts';
import { amountErrors, amountOf, internalStrategy, percentErrors } from './rolling-update-checks.ts';
import { notDecremented, notNegativeCounts } from './status-checks.ts';
import {
  isEmptySelector,
  longRunningPods,
  matchesLabels,
  ofParent,
  templateLabels,
  unmatchedTemplate,
} from './template-checks.ts';

const selector: Check = function* (value, { path, parent }) {
  const errors = labelSelectorErrors(value, path);
  yield* errors;
  const labels = templateLabels(parent.template);
  if (errors.length === 0 && !matchesLabels(value, labels)) yield unmatchedTemplate('spec.template', labels);
  if (isJsonObject(value) && isEmptySelector(value)) {
    yield invalidStruct(path, value, 'empty selector is invalid for daemonset');
  }
};

const rollingMembers = ['maxUnavailable', 'maxSurge'];

function* rollingUpdateErrors(update: JsonObject, path: string): Generator<FieldError> {
  yield* amountErrors(update, path, rollingMembers);
  yield* percentErrors(update, path, rollingMembers);
  const isUnavailable = amountOf(update.maxUnavailable) !== 0;
  const hasSurge = amountOf(update.maxSurge) !== 0;
  if (isUnavailable && hasSurge) {
    yield invalid(childPath(path, 'maxSurge'), update.maxSurge, 'may not be set when maxUnavailable is non-zero');
  } else if (!isUnavailable && !hasSurge) {
    yield required(childPath(path, 'maxUnavailable'), 'cannot be 0 when maxSurge is 0');
  }
}

const updateStrategy: Check = function* (value, { path }) {
  const given = isJsonObject(value) ? value : {};
  if (given.type === 'OnDelete') return;
  const rolling = isJsonObject(given.rollingUpdate) ? given.rollingUpdate : undefined;
  const rollingPath = childPath(path, 'rollingUpdate');
  if (given.type !== 'RollingUpdate') {
    const shown = internalStrategy(given, rolling === undefined ? null : internalRollingUpdate(rolling));
    yield notSupportedStruct(path, shown, ['RollingUpdate', 'OnDelete']);
  } else if (rolling === undefined) yield required(rollingPath);
  else yield* rollingUpdateErrors(rolling, rollingPath);
};

export const daemonSetRules: Readonly<Record<string, StructRules>> = {
  'apps.DaemonSetSpec': {
    members: {
      selector: [selector],
      template: [],
      minReadySeconds: [ofParent(longRunningPods('DaemonSet')), notNegative],
      updateStrategy: [updateStrategy],
      revisionHistoryLimit: [notNegative],
    },
  },
};

export const daemonSetKinds: Readonly<Record<string, KindRules>> = {
  'apps.DaemonSet': {
    update: ['changes', 'structs'],
    changes: [immutableStruct('spec', 'selector')],
    status: [
      notNegativeCounts(
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ),
      notDecremented,
    ],
  },
};
