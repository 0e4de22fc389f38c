import { isJsonObject, type JsonObject } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { immutableStruct, notNegative, numberOf } from '../checks.ts';
import { notSupportedStruct } from '../field-rules.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { amountErrors, amountOf, internalStrategy, percentErrors, zeroAmountError } from './rolling-update-checks.ts';
import { atMostReplicas, notDecremented, notNegativeCounts } from './status-checks.ts';
import {
  ifSelectorIsValid,
  longRunningPods,
  matchingTemplate,
  ofParent,
  templateOfValidSelector,
  workloadSelector,
} from './template-checks.ts';

const rollingMembers = ['maxUnavailable', 'maxSurge'];

/** Returns a rolling update with the member names of Kubernetes' internal struct. */
export function internalRollingUpdate(update: JsonObject): JsonObject {
  return { MaxUnavailable: update.maxUnavailable ?? 0, MaxSurge: update.maxSurge ?? 0 };
}

function rollingUpdateErrors(update: JsonObject, path: string): FieldError[] {
  const { maxUnavailable, maxSurge } = update;
  const unavailable = `${path}.maxUnavailable`;
  return [
    ...amountErrors(update, path, rollingMembers),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [zeroAmountError(unavailable, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...percentErrors(update, path, ['maxUnavailable']),
  ];
}

const strategy: Check = function* (value, { path }) {
  const given = isJsonObject(value) ? value : {};
  const rollingPath = childPath(path, 'rollingUpdate');
  const rolling = isJsonObject(given.rollingUpdate) ? given.rollingUpdate : undefined;
  if (given.type === 'Recreate') {
    if (rolling !== undefined)
      yield forbiddenField(rollingPath, "may not be specified when strategy `type` is 'Recreate'");
  } else if (given.type === 'RollingUpdate') {
    if (rolling === undefined) yield required(rollingPath, 'this should be defaulted and never be nil');
    else yield* rollingUpdateErrors(rolling, rollingPath);
  } else {
    const shown = internalStrategy(given, rolling === undefined ? null : internalRollingUpdate(rolling));
    yield notSupportedStruct(path, shown, ['Recreate', 'RollingUpdate']);
  }
};

const progressDeadline: Check = function* (value, position) {
  if (value === undefined) return;
  yield* notNegative(value, position);
  if (numberOf(value) <= numberOf(position.parent.minReadySeconds)) {
    yield invalid(position.path, value, 'must be greater than minReadySeconds');
  }
};

const restartedPods = ifSelectorIsValid(longRunningPods('ReplicaSet'));
const selector = workloadSelector('deployment', 'invalid label selector');

/** The rules of deployments and replica sets. */
export const deploymentRules: Readonly<Record<string, StructRules>> = {
  'apps.DeploymentSpec': {
    members: {
      replicas: [notNegative],
      selector: [selector],
      template: [matchingTemplate],
      strategy: [ofParent(restartedPods), strategy],
      minReadySeconds: [notNegative],
      revisionHistoryLimit: [notNegative],
      progressDeadlineSeconds: [progressDeadline],
    },
    inside: { template: templateOfValidSelector },
  },
  'apps.ReplicaSetSpec': {
    members: {
      replicas: [notNegative],
      minReadySeconds: [notNegative],
      selector: [selector],
      template: [matchingTemplate],
    },
    inside: { template: templateOfValidSelector },
    after: [restartedPods],
  },
};

export const deploymentKinds: Readonly<Record<string, KindRules>> = {
  'apps.Deployment': {
    update: ['structs', 'changes'],
    changes: [immutableStruct('spec', 'selector')],
    status: [
      notNegativeCounts(
        'observedGeneration',
        'replicas',
        'updatedReplicas',
        'readyReplicas',
        'availableReplicas',
        'unavailableReplicas',
        'terminatingReplicas',
        'collisionCount',
      ),
      atMostReplicas(['updatedReplicas', 'readyReplicas', 'availableReplicas']),
      notDecremented,
    ],
  },
  'apps.ReplicaSet': {
    update: ['structs', 'changes'],
    changes: [immutableStruct('spec', 'selector')],
    status: [
      notNegativeCounts(
        'replicas',
        'fullyLabeledReplicas',
        'readyReplicas',
        'availableReplicas',
        'observedGeneration',
        'terminatingReplicas',
      ),
      atMostReplicas(['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
    ],
  },
};
