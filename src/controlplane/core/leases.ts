import { isJsonObject, type JsonObject, type JsonValue, numberAt } from '@flotilla/json';
import { leaseKind } from '../../api/core/lease.ts';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import { normalizeMicroTimes } from './micro-times.ts';

/**
 * The leases of a control plane. Leader election relies on two refusals: of a second create, and of a PUT with an
 * outdated resourceVersion (rule CLIENT-23). A PUT without a resourceVersion is therefore refused too, as in
 * Kubernetes.
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
  // Go cannot omit a struct: every lease is served with a spec.
  const spec: JsonObject = isJsonObject(object.spec) ? object.spec : {};
  object.spec = spec;
  // Kubernetes keeps these two unset unless coordinated leader election is enabled.
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
