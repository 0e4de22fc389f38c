import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { isEstablished } from '../../api/apiextensions/accepted-names.ts';
import { customResourceDefinitionKind } from '../../api/apiextensions/custom-resource-definition.ts';
import { type Definition, definitionOf } from '../../api/apiextensions/definition.ts';
import { definitionErrors } from '../../api/apiextensions/definition-errors.ts';
import { unknownFormats } from '../../api/apiextensions/unknown-formats.ts';
import type { RuleErrors } from '../../api/apiextensions/whole-schema-errors.ts';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Schema } from '../../api/schema/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import { type ObjectRef, resourceKey } from '../../registry/rows/rows.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { compileValidations } from '../validation-rules/compile-validations.ts';
import { defaultRuleErrors } from './default-rule-errors.ts';

/** The finalizer that prevents the removal of a CustomResourceDefinition until its custom resources are deleted. */
export const definitionCleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const definitionsResourceKey = resourceKey(customResourceDefinitionKind);

export interface DefinitionsOptions {
  readonly clock: Clock;
  /** Reconciles a definition. All writes contain the check `fence` (`RequestContext.fence`). */
  reconcile(name: string, fence: RevisionCheck | undefined): Promise<number | undefined>;
  /**
   * Checks the names that a status write accepts, if other processes may accept names, too. Throws 409 if a name is in
   * use.
   */
  guardNames(draft: Draft, context: RequestContext): Promise<readonly []>;
  /** True if other processes may write to the store of the plane. */
  isShared(): boolean;
  /** Returns the CustomResourceDefinitions of an API group whose names are not accepted yet. */
  definitionsWaitingIn(group: string): readonly string[];
}

/** The kind CustomResourceDefinition. */
export function definitionsResource(options: DefinitionsOptions): StoredResource {
  const ruleErrors: RuleErrors = async (schema, path, old) => {
    const { errors } = await compileValidations(schema as Schema, path, old as Schema | undefined);
    return errors.length > 0 ? errors : defaultRuleErrors(schema as Schema, path);
  };
  return defineResource({
    ...customResourceDefinitionKind,
    hasStatus: true,
    statusWritesMetadata: true,
    unconditionalUpdate: false,
    prepare: prepareDefinition,
    validate: async ({ object, old }, context) => {
      const before = old && definitionOf(old.object);
      warnOfFormats(definitionOf(object), before, context);
      return definitionErrors(definitionOf(object), before, { ruleErrors, yieldToEventLoop: context.nextTimeSlice });
    },
    validateStatus: (draft, context) => options.guardNames(draft, context),
    prepareDelete: (object) => markTerminating(object, options.clock.now()),
    needsReconcile: ({ object }) => isPending(object),
    reconcile: (_namespace, name, fence) => reconcileOrPoll(name, fence, options),
    requeues: (old, next) => waitingDefinitions(old, next, options),
  });
}

function prepareDefinition({ object, old }: Draft): void {
  const spec: JsonObject = isJsonObject(object.spec) ? object.spec : {};
  object.spec = spec;
  fillNames(spec);
  spec.conversion ??= { strategy: 'None' };
  if (old === undefined) {
    object.metadata.generation = 1;
    object.status = { acceptedNames: { plural: '', kind: '' }, storedVersions: [] };
  }
  const status: JsonObject = isJsonObject(object.status) ? object.status : {};
  object.status = status;
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
  const storage = versions.find((version) => version.storage === true)?.name;
  const stored = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  const isNew = typeof storage === 'string' && !stored.includes(storage);
  status.storedVersions = isNew ? [...stored, storage] : stored;
}

function fillNames(spec: JsonObject): void {
  const { names } = spec;
  if (!isJsonObject(names) || typeof names.kind !== 'string') return;
  const { plural, singular, shortNames, kind, listKind, categories, ...others } = names;
  const filled: Record<string, JsonValue | undefined> = {
    plural,
    singular: singular || kind.toLowerCase() || undefined,
    shortNames,
    kind,
    listKind: listKind || (kind === '' ? undefined : `${kind}List`),
    categories,
    ...others,
  };
  spec.names = Object.fromEntries(
    Object.entries(filled).filter((member): member is [string, JsonValue] => member[1] !== undefined),
  );
}

/** Warns about unknown string formats in the schema, except formats that the old definition already contains. */
function warnOfFormats(definition: Definition, old: Definition | undefined, context: RequestContext): void {
  const known = new Set(old === undefined ? [] : unknownFormats(old.spec));
  for (const format of unknownFormats(definition.spec)) {
    if (!known.has(format)) context.warn(`unrecognized format ${JSON.stringify(format)}`);
  }
}

function markTerminating(object: KubeObject, now: number): void {
  const { finalizers = [], generation = 1 } = object.metadata;
  // As in Kubernetes, the deletion sets no grace period and does not increase the generation.
  delete object.metadata.deletionGracePeriodSeconds;
  object.metadata.generation = generation - 1;
  if (!finalizers.includes(definitionCleanupFinalizer))
    object.metadata.finalizers = [...finalizers, definitionCleanupFinalizer];
  const { status } = object as { status?: { conditions?: Condition[] | null } };
  const condition: Condition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  object.status = {
    ...(status as JsonObject | undefined),
    conditions: setCondition(status?.conditions ?? [], condition, now) as JsonValue[],
  };
}

/**
 * True if the definition is being deleted and its custom resources may still exist, or if it is not yet established.
 */
function isPending(object: KubeObject): boolean {
  if (object.metadata.deletionTimestamp !== undefined) {
    return (object.metadata.finalizers ?? []).includes(definitionCleanupFinalizer);
  }
  return !isEstablished(definitionOf(object));
}

/**
 * The maximum number of definitions that one write requeues. Each definition takes a row in the transaction of the
 * write, and a store may limit the size of transactions.
 */
const maxRequeued = 20;

/**
 * The interval at which definitions that wait for a name are reconciled, if one write cannot requeue all of these
 * definitions. In a shared store, the process that releases a name may not know yet which definitions wait for it.
 */
const pollMilliseconds = 30_000;

async function reconcileOrPoll(
  name: string,
  fence: RevisionCheck | undefined,
  options: DefinitionsOptions,
): Promise<number | undefined> {
  const retryAfterMs = await options.reconcile(name, fence);
  if (retryAfterMs !== undefined) return retryAfterMs;
  const waiting = options.definitionsWaitingIn(groupOfDefinition(name));
  const mayBeMissed = options.isShared() || waiting.length > maxRequeued;
  return mayBeMissed && waiting.includes(name) ? pollMilliseconds : undefined;
}

/** Returns the API group of a definition, from its name `<plural>.<group>`. */
export function groupOfDefinition(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/**
 * Returns the definitions to reconcile after a definition of the same API group has released a name. At most
 * `maxRequeued` definitions are returned. If more definitions wait for a name, all of them are also reconciled
 * periodically.
 */
function waitingDefinitions(
  old: StoredRecord | undefined,
  next: StoredRecord | undefined,
  options: DefinitionsOptions,
): readonly ObjectRef[] {
  if (old === undefined) return [];
  const before = definitionOf(old.object);
  const after = next && definitionOf(next.object);
  const isSame = JSON.stringify(before.status.acceptedNames) === JSON.stringify(after?.status.acceptedNames);
  if (isSame) return [];
  return options
    .definitionsWaitingIn(before.spec.group ?? '')
    .filter((name) => name !== old.object.metadata.name)
    .slice(0, maxRequeued)
    .map((name) => ({ resource: definitionsResourceKey, namespace: '', name }));
}
