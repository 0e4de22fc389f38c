import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { requestTargets, type ScopeRule } from '../../api/management/v1/scope.ts';
import { type AccessKeyHidden, hiddenInheritedScopes } from './access-key-hidden.ts';

/** An access key and its hidden part, as it is stored or written. */
interface KeyWithHidden {
  readonly object: AccessKey;
  readonly hidden: AccessKeyHidden;
}

/** True if a scope limits the key: a scope of the key itself, or an inherited scope of its creator key. */
export function isScopedKey({ object, hidden }: KeyWithHidden): boolean {
  return [object.spec?.scope, ...(hidden[hiddenInheritedScopes] ?? [])].some(
    (scope) => scope !== undefined && scope !== null && !(scope.rules ?? []).some(matchesEverything),
  );
}

/**
 * True for a scope rule that names no resources, paths, clusters or targets. A scope with such a rule does not limit
 * what the key may access.
 */
function matchesEverything(rule: ScopeRule): boolean {
  const { resources = [], namespaces = [], nonResourceURLs = [], requestTargets: targets = [], cluster = '' } = rule;
  return (
    [resources, namespaces, nonResourceURLs].every((list) => list.length === 0) &&
    cluster === '' &&
    (targets.length === 0 || requestTargets.every((target) => targets.includes(target)))
  );
}
