import { type JsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { requestTargets } from '../../api/management/v1/scope.ts';
import { hiddenInheritedScopes } from './access-key-hidden.ts';

/** An access key and its hidden part, as it is stored or written. */
interface KeyWithHidden {
  readonly object: AccessKey;
  readonly hidden: JsonObject;
}

/** True if a scope limits the key: its own, or that of the key that creates it. */
export function isScopedKey({ object, hidden }: KeyWithHidden): boolean {
  const inherited = hidden[hiddenInheritedScopes];
  return [object.spec?.scope ?? undefined, ...(Array.isArray(inherited) ? inherited : [])].some(
    (scope) => scope !== undefined && !listAt(scope, 'rules').some(matchesEverything),
  );
}

/**
 * True for a scope rule that names no resources, paths, clusters or targets. A scope with such a rule does not limit what
 * its key reaches.
 */
function matchesEverything(rule: JsonValue): boolean {
  const targets = textsAt(rule, 'requestTargets');
  return (
    (['resources', 'namespaces', 'nonResourceURLs'] as const).every((list) => listAt(rule, list).length === 0) &&
    textAt(rule, 'cluster') === '' &&
    (targets.length === 0 || requestTargets.every((target) => targets.includes(target)))
  );
}
