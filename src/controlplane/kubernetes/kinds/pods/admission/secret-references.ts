import { type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { itemsOf, objectOf } from '../../../defaults/set-defaults.ts';

const enforced = 'kubernetes.io/enforce-mountable-secrets';
/** The spellings of true that Go accepts. */
const trueTexts = ['1', 't', 'T', 'true', 'TRUE', 'True'];

const containerLists = [
  ['initContainers', 'init container'],
  ['containers', 'container'],
  ['ephemeralContainers', 'ephemeral container'],
] as const;

/**
 * Returns the reason why a pod may not use one of its secrets; `undefined` if it may use all of them. Checks the
 * secrets only if the service account limits its pods to the secrets that the account lists. `name` is the name of the
 * account.
 */
export function secretReferenceFault(spec: JsonObject, account: JsonValue, name: string): string | undefined {
  if (!trueTexts.includes(textAt(account, 'metadata', 'annotations', enforced))) return undefined;
  const namesIn = (member: string) => new Set(listAt(account, member).map((secret) => textAt(secret, 'name')));
  const refusal = `is not allowed because service account ${name} does not reference that`;
  const mountable = namesIn('secrets');
  for (const use of secretUses(spec)) {
    if (!mountable.has(use.secret)) return `${use.user} secret.secretName="${use.secret}" ${refusal} secret`;
  }
  const pulled = namesIn('imagePullSecrets');
  for (const [index, secret] of listAt(spec, 'imagePullSecrets').entries()) {
    const pullSecret = textAt(secret, 'name');
    if (!pulled.has(pullSecret)) return `imagePullSecrets[${index}].name="${pullSecret}" ${refusal} imagePullSecret`;
  }
  return undefined;
}

function* secretUses(spec: JsonObject): Generator<{ readonly secret: string; readonly user: string }> {
  for (const volume of itemsOf(spec, 'volumes')) {
    const source = objectOf(volume, 'secret');
    if (source !== undefined) yield { secret: textAt(source, 'secretName'), user: 'volume with' };
  }
  for (const [list, what] of containerLists) {
    for (const container of itemsOf(spec, list)) {
      const user = `${what} ${textAt(container, 'name')} with`;
      for (const variable of itemsOf(container, 'env')) {
        const source = objectAt(variable, 'valueFrom', 'secretKeyRef');
        if (source === undefined) continue;
        yield { secret: textAt(source, 'name'), user: `${user} envVar ${textAt(variable, 'name')} referencing` };
      }
      for (const from of itemsOf(container, 'envFrom')) {
        const source = objectOf(from, 'secretRef');
        if (source !== undefined) yield { secret: textAt(source, 'name'), user: `${user} envFrom referencing` };
      }
    }
  }
}

const secretMembers = ['secretRef', 'nodePublishSecretRef'];

/**
 * Returns the reason why a mirror pod, which represents a kubelet's own pod, is refused; `undefined` if it is allowed.
 */
export function mirrorPodFault(spec: JsonObject): string | undefined {
  if (textAt(spec, 'serviceAccountName') !== '') return 'a mirror pod may not reference service accounts';
  const sources = itemsOf(spec, 'volumes').flatMap((volume) => Object.entries(volume));
  const isSecret = ([name, source]: [string, JsonValue]) =>
    name === 'secret' ||
    textAt(source, 'secretName') !== '' ||
    secretMembers.some((member) => objectAt(source, member) !== undefined) ||
    listAt(source, 'sources').some((projection) => objectAt(projection, 'secret') !== undefined);
  const hasSecret =
    listAt(spec, 'imagePullSecrets').length > 0 || sources.some(isSecret) || !secretUses(spec).next().done;
  if (hasSecret) return 'a mirror pod may not reference secrets';
  const hasToken = sources.some(([, source]) =>
    listAt(source, 'sources').some((projection) => objectAt(projection, 'serviceAccountToken') !== undefined),
  );
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
