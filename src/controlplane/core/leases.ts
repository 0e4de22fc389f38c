import { isJsonObject, type JsonObject, type JsonValue, numberAt } from '@flotilla/json';
import { leaseKind } from '../../api/core/lease.ts';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import { normalizeMicroTimes } from './micro-times.ts';

/**
 * The kind Lease. Leader election relies on two errors: the second create of a lease fails, and a PUT with an outdated
 * resourceVersion fails (rule CLIENT-23). As in Kubernetes, a PUT without a resourceVersion fails, too.
 */
export const storedLeases: StoredResource = defineResource({
  ...leaseKind,
  hasStatus: false,
  unconditionalUpdate: false,
  createOnUpdate: true,
  prepare: normalizeSpec,
  validate: (draft) => leaseErrors(draft.object),
});

function normalizeSpec({ object }: Draft): void {
  // As in Kubernetes, every lease has a `spec`, even if it is empty.
  const spec: JsonObject = isJsonObject(object.spec) ? object.spec : {};
  object.spec = spec;
  // Kubernetes removes both fields unless the feature gate for coordinated leader election is enabled.
  delete spec.strategy;
  delete spec.preferredHolder;
  normalizeMicroTimes(leaseKind, spec, ['acquireTime', 'renewTime']);
}

function leaseErrors(lease: KubeObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const duration = numberAt(lease as JsonValue, 'spec', 'leaseDurationSeconds') ?? 1;
  if (duration <= 0) errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  const transitions = numberAt(lease as JsonValue, 'spec', 'leaseTransitions') ?? 0;
  if (transitions < 0) errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  return errors;
}
