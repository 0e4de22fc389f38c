import { accessKeyEnd, accessKeyPhase } from '../api/management/access-key-life.ts';
import { accessKeyKind, clientAccessKeyTypes } from '../api/management/v1/access-key.ts';
import type { KubeObject } from '../api/meta.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { numberAt, textAt } from '../lib/json-path.ts';
import { cloneJson, type JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { ownerMembers } from './access-key-owner.ts';
import { hiddenInheritedScopes, hiddenMadeWith, keyStateOf, scopesOf } from './access-key-state.ts';
import type { ManagementDependencies } from './dependencies.ts';

type Known = Pick<ManagementDependencies, 'state' | 'settings' | 'clock'>;

/** How many keys somebody may have; what the server makes itself (logins) and what has ended is not counted. */
export function checkKeyCount(key: KubeObject, context: RequestContext, { state, settings, clock }: Known): void {
  const limit = settings.accessKeys.perUser;
  if (context.system || limit <= 0) return;
  let count = 0;
  for (const other of state.accessKeys()) {
    if (!ownerMembers.every((member) => textAt(other, 'spec', member) === textAt(key, 'spec', member))) continue;
    const isCounted = (clientAccessKeyTypes as readonly string[]).includes(textAt(other, 'spec', 'type'));
    if (isCounted && accessKeyPhase(other, clock.now()) !== 'Expired') count++;
  }
  if (count < limit) return;
  throw forbidden(
    groupResourceOf(accessKeyKind),
    key.metadata.name ?? '',
    `exceeded quota, requested: ${accessKeyKind.plural}=1, used: ${accessKeyKind.plural}=${count}, limited: ${accessKeyKind.plural}=${limit}`,
  );
}

/** A write without a lifetime does not take one away that the server has set. */
export function keepLifetime(draft: Draft, spec: JsonObject, { settings }: Pick<Known, 'settings'>): void {
  const kept = numberAt(draft.old?.object, 'spec', 'ttl') ?? 0;
  if (spec.ttl !== undefined || kept === 0) return;
  if (settings.accessKeys.maxTTL > 0 || draft.hidden[hiddenMadeWith] !== undefined) spec.ttl = kept;
}

/**
 * What a new key takes over from the key that it is made with: it does not outlive it, unless that one came from a
 * login, and it carries its scopes. The server's maximum comes on top.
 */
export function takeAfterMaker(draft: Draft, spec: JsonObject, context: RequestContext, known: Known): void {
  const { state, settings, clock } = known;
  if (context.system) return;
  const maker = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  const max = settings.accessKeys.maxTTL;
  if (max > 0 && (numberAt(spec, 'ttl') ?? 0) === 0) spec.ttl = max;
  if (maker === undefined) return;

  const scopes = scopesOf(maker, state);
  if (scopes.length > 0) draft.hidden[hiddenInheritedScopes] = scopes.map((scope) => cloneJson(scope));
  if (textAt(maker, 'spec', 'type') === 'Login') return;
  draft.hidden[hiddenMadeWith] = { name: maker.metadata.name ?? '', uid: maker.metadata.uid ?? '' };
  const makersEnd = keyStateOf(maker, state).expiresAt;
  if (makersEnd === undefined) return;
  const own = accessKeyEnd(draft.object);
  if (own !== undefined && own <= makersEnd) return;
  const left = Math.max(1, Math.floor((makersEnd - clock.now()) / 1000));
  if (own !== undefined) {
    context.warn(`spec.ttl is cut to ${left}: a key does not outlive the key that it is made with`);
  }
  spec.ttl = left;
}
