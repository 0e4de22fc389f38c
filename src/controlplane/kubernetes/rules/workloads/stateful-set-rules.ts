import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { labelFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { validateAnnotations } from '../../../../api/validation/labels.ts';
import { isUnset, labels, listOf, memberAt, notNegative, numberOf, objectAt, textOf, textWithout } from '../checks.ts';
import { invalidStruct, nonNegativeErrors } from '../field-rules.ts';
import type { Check, FieldPosition, KindRules, StructRules } from '../object-rules.ts';
import { amountErrors, amountOf, internalStrategy, percentErrors, zeroAmountError } from './rolling-update-checks.ts';
import { atMostReplicas, notDecremented, notNegativeCounts } from './status-checks.ts';
import { longRunningPods, matchingTemplate, templateOfValidSelector, workloadSelector } from './template-checks.ts';

const podManagementPolicy: Check = function* (value, { path }) {
  if (isUnset(value)) yield required(path);
  else if (value !== 'OrderedReady' && value !== 'Parallel') {
    yield invalid(path, value, "must be 'OrderedReady' or 'Parallel'");
  }
};

function* rollingUpdateErrors(update: JsonObject, path: string): Generator<FieldError> {
  yield* nonNegativeErrors(childPath(path, 'partition'), numberOf(update.partition));
  const { maxUnavailable } = update;
  if ((maxUnavailable ?? undefined) === undefined) return;
  const members = ['maxUnavailable'];
  yield* amountErrors(update, path, members);
  if (amountOf(maxUnavailable) === 0) {
    yield zeroAmountError(childPath(path, 'maxUnavailable'), maxUnavailable, 'cannot be 0');
  }
  yield* percentErrors(update, path, members);
}

/** Returns a rolling update with the member names of Kubernetes' internal struct. */
function internalRollingUpdate(update: JsonObject): JsonObject {
  return { Partition: update.partition ?? 0, MaxUnavailable: update.maxUnavailable ?? null };
}

const updateStrategy: Check = function* (value, { path }) {
  const given = isJsonObject(value) ? value : {};
  const rollingPath = childPath(path, 'rollingUpdate');
  const rolling = isJsonObject(given.rollingUpdate) ? given.rollingUpdate : undefined;
  if (given.type === 'RollingUpdate') {
    if (rolling !== undefined) yield* rollingUpdateErrors(rolling, rollingPath);
  } else if (given.type === 'OnDelete') {
    if (rolling === undefined) return;
    yield invalidStruct(rollingPath, internalRollingUpdate(rolling), "only allowed for updateStrategy 'RollingUpdate'");
  } else {
    const shown = internalStrategy(given, rolling === undefined ? null : internalRollingUpdate(rolling));
    yield invalidStruct(path, shown, "must be 'RollingUpdate' or 'OnDelete'");
  }
};

const retentionPolicy: Check = function* (value, { path }) {
  if (!isJsonObject(value)) return;
  for (const name of ['whenDeleted', 'whenScaled']) {
    const policy = textOf(value[name]);
    if (policy !== 'Retain' && policy !== 'Delete') {
      yield notSupported(childPath(path, name), policy, ['Retain', 'Delete']);
    }
  }
};

const ordinals: Check = (value, position) =>
  notNegative(memberAt(value, ['start']), { ...position, path: childPath(position.path, 'start') });

/** The name of the service cannot be changed, so it is checked only when the set is created. */
const serviceName: Check = (value, position) =>
  position.old === undefined ? textWithout(labelFaults)(value, position) : [];

/**
 * Returns the pod template as it is validated. The controller sets the host name and the subdomain of the pods, and it
 * adds a volume for each claim template.
 */
function validatedTemplate(value: JsonValue | undefined, position: FieldPosition): JsonValue | undefined {
  const template = templateOfValidSelector(value, position);
  if (!isJsonObject(template) || !isJsonObject(template.spec)) return template;
  const { hostname: _, subdomain: __, ...spec } = template.spec;
  const claims = new Set(
    listOf(position.parent.volumeClaimTemplates).map((claim) => textOf(memberAt(claim, ['metadata', 'name']))),
  );
  if (claims.size === 0) return { ...template, spec };
  const added = [...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = listOf(spec.volumes).filter((volume) => !claims.has(textOf(memberAt(volume, ['name']))));
  return { ...template, spec: { ...spec, volumes: [...added, ...own] } };
}

/** Kubernetes checks the metadata of the template a second time and reports the errors with shorter paths. */
const templateMetadata: Check = function* (spec, position) {
  const { template } = isJsonObject(spec) ? spec : {};
  if (templateOfValidSelector({}, { ...position, parent: isJsonObject(spec) ? spec : {} }) === undefined) return;
  const metadata = objectAt(template, 'metadata');
  const path = childPath(position.path, 'template');
  yield* labels(metadata.labels ?? undefined, { ...position, path: childPath(path, 'labels') });
  yield* validateAnnotations(
    objectAt(metadata, 'annotations') as Record<string, string>,
    childPath(path, 'annotations'),
  );
};

const mutableMembers = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const onlyMutableMembers: Check = function* (object, { old }) {
  const fixed = (root: JsonValue | undefined) =>
    Object.fromEntries(Object.entries(objectAt(root, 'spec')).filter(([name]) => !mutableMembers.includes(name)));
  if (equalJson(fixed(object), fixed(old))) return;
  yield forbiddenField(
    'spec',
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  );
};

export const statefulSetRules: Readonly<Record<string, StructRules>> = {
  'apps.StatefulSetSpec': {
    members: {
      podManagementPolicy: [podManagementPolicy],
      updateStrategy: [updateStrategy],
      persistentVolumeClaimRetentionPolicy: [retentionPolicy],
      volumeClaimTemplates: [],
      replicas: [notNegative],
      minReadySeconds: [notNegative],
      ordinals: [ordinals],
      serviceName: [serviceName],
      selector: [workloadSelector('statefulset', '')],
      template: [matchingTemplate],
    },
    inside: {
      // Claim templates cannot be changed, so they are checked only when the set is created.
      volumeClaimTemplates: (value, { old }) => (old === undefined ? value : undefined),
      template: validatedTemplate,
    },
    after: [templateMetadata, longRunningPods('StatefulSet')],
  },
};

export const statefulSetKinds: Readonly<Record<string, KindRules>> = {
  'apps.StatefulSet': {
    update: ['structs', 'changes'],
    changes: [onlyMutableMembers],
    status: [
      notNegativeCounts(
        'replicas',
        'readyReplicas',
        'currentReplicas',
        'updatedReplicas',
        'availableReplicas',
        'observedGeneration',
        'collisionCount',
      ),
      atMostReplicas(
        ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
        'status.readyReplicas',
      ),
      notDecremented,
    ],
  },
};
