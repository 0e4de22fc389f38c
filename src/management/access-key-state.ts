import { accessKeyEnd } from '../api/management/access-key-life.ts';
import type { KubeObject } from '../api/meta.ts';
import type { KeyState } from '../auth/key-state.ts';
import { flagAt, objectAt, textAt } from '../lib/json-path.ts';
import { isJsonObject, type JsonObject } from '../lib/json-value.ts';
import { identityOf } from './identity.ts';
import type { ManagementState } from './state.ts';

/** Members of an access key's hidden part. */
export const hiddenKeyHash = 'keyHash';
export const hiddenMadeWith = 'madeWith';
export const hiddenInheritedScopes = 'inheritedScopes';
export const hiddenConnectorData = 'connectorData';
export const hiddenOidcTokens = 'oidcTokens';

export function accessKeyClaim(hash: string): string {
  return `hash:${hash}`;
}

/**
 * An access key as authentication sees it. A key that was made with another one lives no longer than that one: its
 * end is the earliest of the chain, and one link that is gone or disabled ends all that hang on it.
 */
export function keyStateOf(key: KubeObject, state: ManagementState): KeyState {
  const name = key.metadata.name ?? '';
  let disabled = false;
  let end: number | undefined;
  let broken = false;
  const seen = new Set<string>();
  for (let link: KubeObject | undefined = key; link !== undefined; ) {
    const linkName: string = link.metadata.name ?? '';
    if (seen.has(linkName)) break;
    seen.add(linkName);
    disabled ||= flagAt(link, 'spec', 'disabled');
    end = earliest(end, accessKeyEnd(link));
    const deletion = link.metadata.deletionTimestamp;
    if (deletion !== undefined) end = earliest(end, Date.parse(deletion));
    const maker: JsonObject | undefined = objectAt(state.accessKeyHidden(linkName), hiddenMadeWith);
    if (maker === undefined) break;
    link = state.accessKey(textAt(maker, 'name'));
    if (link?.metadata.uid !== textAt(maker, 'uid')) {
      broken = true;
      break;
    }
  }
  return {
    name,
    uid: key.metadata.uid ?? '',
    user: broken ? undefined : identityOf(key, state),
    ...(end === undefined ? {} : { expiresAt: end }),
    disabled,
    version: textAt(state.accessKeyHidden(name), hiddenKeyHash),
  };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** All scopes that narrow a key: its own, and those of the keys that it was made with. All of them must allow. */
export function scopesOf(key: KubeObject, state: Pick<ManagementState, 'accessKeyHidden'>): readonly JsonObject[] {
  const own = objectAt(key, 'spec', 'scope');
  const inherited = state.accessKeyHidden(key.metadata.name ?? '')?.[hiddenInheritedScopes];
  return [
    ...(own === undefined ? [] : [own]),
    ...(Array.isArray(inherited) ? inherited.filter((scope) => isJsonObject(scope)) : []),
  ];
}
