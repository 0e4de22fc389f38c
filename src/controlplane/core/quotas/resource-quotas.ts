import { isJsonObject, type JsonObject, type JsonValue, objectAt, textAt } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';
import { resourceQuotaKind } from '../../../api/core/resource-quota.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { RequestContext } from '../../../registry/context.ts';
import { type Draft, defineResource, type StoredResource } from '../../../registry/resource.ts';
import { dropEmpty } from '../drop-empty.ts';
import { quotaAmountErrors, quotaErrors } from './quota-rules.ts';

/** The kind ResourceQuota. The class `QuotaAdmission` enforces the limits. */
export const storedResourceQuotas: StoredResource = defineResource({
  ...resourceQuotaKind,
  hasStatus: true,
  statusWritesMetadata: true,
  unconditionalUpdate: true,
  prepare: normalizeParts,
  validate({ object, old }, context) {
    const errors = quotaErrors(object, old?.object);
    if (errors.length === 0 && old === undefined) warnOfRequests(object as JsonObject, context);
    return errors;
  },
  prepareStatus: normalizeStatus,
  validateStatus: amountErrors,
});

/** Normalizes a quota. As in Kubernetes, `spec` and `status` are present even if they are empty. */
function normalizeParts(draft: Draft): void {
  const quota = draft.object as JsonObject;
  const spec = isJsonObject(quota.spec) ? quota.spec : {};
  dropEmpty(spec, ['hard', 'scopes']);
  quota.spec = spec;
  quota.status ??= {};
}

function normalizeStatus(draft: Draft): void {
  const quota = draft.object as JsonObject;
  const status = isJsonObject(quota.status) ? quota.status : {};
  dropEmpty(status, ['hard', 'used']);
  quota.status = status;
}

function amountErrors({ object }: Draft): FieldError[] {
  return ['hard', 'used'].flatMap((member) =>
    quotaAmountErrors(`status.${member}`, objectAt(object as JsonValue, 'status', member) ?? {}),
  );
}

function warnOfRequests(quota: JsonObject, context: RequestContext): void {
  const hard = objectAt(quota, 'spec', 'hard') ?? {};
  const has = (name: string) => Object.hasOwn(hard, name);
  for (const name of ['cpu', 'memory', 'storage', 'ephemeral-storage']) {
    const bare = name === 'cpu' || name === 'memory' ? [name] : [];
    const request = [`requests.${name}`, ...bare].find(has);
    const limit = `limits.${name}`;
    if (request === undefined || !has(limit)) continue;
    const [wanted, allowed] = [textAt(hard, request), textAt(hard, limit)];
    if (parseQuantity(wanted).billionths <= parseQuantity(allowed).billionths) continue;
    context.warn(`ResourceQuota ${request} (${wanted}) should be less than ${limit} (${allowed})`);
  }
}
