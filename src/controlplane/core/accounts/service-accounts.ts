import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { serviceAccountKind } from '../../../api/core/service-account.ts';
import type { RequestContext } from '../../../registry/context.ts';
import { type Draft, defineResource, type StoredResource } from '../../../registry/resource.ts';
import { dropEmpty } from '../drop-empty.ts';

const enforceMountable = 'kubernetes.io/enforce-mountable-secrets';

export const storedServiceAccounts: StoredResource = defineResource({
  ...serviceAccountKind,
  hasStatus: false,
  unconditionalUpdate: true,
  prepare: prepareAccount,
  validate(draft, context) {
    warnOfAnnotation(draft, context);
    return [];
  },
});

function prepareAccount({ object }: Draft): void {
  const account = object as JsonObject;
  for (const [member, list] of [
    ['secrets', listAt(account, 'secrets')],
    ['imagePullSecrets', listAt(account, 'imagePullSecrets')],
  ] as const) {
    if (list.length > 0) account[member] = list.map(nameOnly);
  }
  dropEmpty(account, ['secrets', 'imagePullSecrets']);
}

function warnOfAnnotation({ object, old }: Draft, context: RequestContext): void {
  const isSet = (annotations: Readonly<Record<string, string>> | undefined) =>
    annotations !== undefined && Object.hasOwn(annotations, enforceMountable);
  if (isSet(object.metadata.annotations) && !isSet(old?.object.metadata.annotations)) {
    const advice = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';
    context.warn(`metadata.annotations[${enforceMountable}]: ${advice}`);
  }
}

/** Reduces a secret reference to its name; Kubernetes also ignores the other members. */
function nameOnly(reference: JsonValue): JsonObject {
  const name = textAt(reference, 'name');
  return name === '' ? {} : { name };
}
