import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { namespaceKind } from '../../../api/core/namespace.ts';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { forbidden } from '../../../api/status.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { MountedResource } from '../../../registry/mounted-resource.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../../registry/resource.ts';
import { mountStoredKind } from '../../../registry/verbs/stored-verbs.ts';
import type { PartDependencies } from '../../plane-part.ts';
import {
  isNamespaceTerminating,
  NamespaceDeletion,
  namespaceContentsFinalizer,
  specFinalizersOf,
} from './namespace-deletion.ts';

const nameLabel = 'kubernetes.io/metadata.name';

/** The namespaces that every plane has. They cannot be deleted (CREATE-22). */
export const builtinNamespaceNames: readonly string[] = ['default', 'kube-public', 'kube-system'];

/** The objects of the namespaces that every plane has. They exist without stored rows. */
export const builtinNamespaces: readonly KubeObject[] = builtinNamespaceNames.map((name) => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name, labels: { [nameLabel]: name } },
  spec: { finalizers: [namespaceContentsFinalizer] },
  status: { phase: 'Active' },
}));

/** The kind Namespace with its full lifecycle, for Kubernetes planes. `mountNamespaces` serves it. */
export function planeNamespaces({ clock, plane }: Pick<PartDependencies, 'clock' | 'plane'>): StoredResource {
  const deletion = new NamespaceDeletion(clock, plane);
  return defineResource({
    ...namespaceKind,
    hasStatus: true,
    statusWritesMetadata: true,
    // As in Kubernetes, namespaces do not support deletecollection.
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    nameRule: 'label',
    selectableFields: ['status.phase'],
    unconditionalUpdate: true,
    unownedFields: [['spec', 'finalizers']],
    prepare,
    validate: finalizerErrors,
    prepareStatus,
    validateStatus: phaseErrors,
    guardDelete,
    preconditionMessage: (member, wanted, found) =>
      `Precondition failed: ${member} in precondition: ${wanted}, ${member} in object meta: ${found}`,
    prepareDelete,
    isDeletionBlocked: (object) => specFinalizersOf(object).length > 0,
    needsReconcile: isNamespaceTerminating,
    reconcile: (_, name, fence) => deletion.reconcile(name, fence),
  });
}

/** Serves namespaces with the subresource `finalize`, the only way to change the finalizers in the spec. */
export function mountNamespaces(store: KindStore): MountedResource {
  return mountStoredKind(store, {
    finalize: {
      kind: store.resource,
      verbs: {
        update: (context, name, sent, options) =>
          store.verbs.update(context, name, sent, { ...options, subresource: 'finalize' }),
      },
    },
  });
}

function prepare(draft: Draft, _context: unknown, subresource: string): void {
  const { old } = draft;
  const object = draft.object as JsonObject;
  if (old === undefined) object.status = { phase: 'Active' };
  const sent = specFinalizersOf(draft.object);
  const finalizers =
    old === undefined
      ? [...sent, ...(sent.includes(namespaceContentsFinalizer) ? [] : [namespaceContentsFinalizer])]
      : subresource === 'finalize'
        ? sent
        : specFinalizersOf(old.object);
  object.spec = finalizers.length === 0 ? {} : { finalizers: [...finalizers] };
  setNameLabel(draft.object);
}

/** Sets the label that contains the name of the namespace. Clients cannot change this label. */
function setNameLabel({ metadata }: KubeObject): void {
  const labels = { ...metadata.labels, [nameLabel]: metadata.name ?? '' };
  metadata.labels = Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const standardFinalizers: readonly string[] = [namespaceContentsFinalizer, 'orphan', 'foregroundDeletion'];

/** Returns the errors of the spec's finalizers. As in Kubernetes, errors of a new namespace do not contain an index. */
function finalizerErrors({ object, old }: Draft): FieldError[] {
  return specFinalizersOf(object).flatMap((finalizer, index) => {
    const field = old === undefined ? 'spec.finalizers' : `spec.finalizers[${index}]`;
    const faults = qualifiedNameFaults(finalizer);
    if (!finalizer.includes('/') && !standardFinalizers.includes(finalizer)) {
      return [...faults, 'name is neither a standard finalizer name nor is it fully qualified'].map((fault) =>
        invalid(field, finalizer, fault),
      );
    }
    return faults.map((fault) => invalid(field, finalizer, fault));
  });
}

/** Completes a status update. A missing phase becomes Active. */
function prepareStatus({ object }: Draft): void {
  const { phase: _, ...rest } = (object.status ?? {}) as JsonObject;
  object.status = { phase: textAt(object as JsonValue, 'status', 'phase') || 'Active', ...rest };
  setNameLabel(object);
}

/** Returns an error if the phase in a status update does not match the deletion timestamp. */
function phaseErrors({ object }: Draft): FieldError[] {
  const phase = textAt(object as JsonValue, 'status', 'phase');
  const isActive = object.metadata.deletionTimestamp === undefined;
  if (phase === (isActive ? 'Active' : 'Terminating')) return [];
  const detail = isActive
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  return [invalid('status.Phase', phase, detail)];
}

function guardDelete({ object }: StoredRecord): void {
  const { name = '' } = object.metadata;
  if (!builtinNamespaceNames.includes(name)) return;
  throw forbidden({ group: '', resource: namespaceKind.plural }, name, 'this namespace may not be deleted');
}

/**
 * Removes the grace period, because the deletion of a namespace takes as long as the deletion of its contents,
 * regardless of a grace period.
 */
function prepareDelete(object: KubeObject): void {
  object.status = { ...(object.status as JsonObject | undefined), phase: 'Terminating' };
  delete object.metadata.deletionGracePeriodSeconds;
}
