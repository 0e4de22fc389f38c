import { accessKeyEnd, accessKeyPhase } from '../api/management/access-key-life.ts';
import { accessKeyKind, clientAccessKeyTypes } from '../api/management/v1/access-key.ts';
import type { KubeObject } from '../api/meta.ts';
import { groupResourceOf } from '../api/resource.ts';
import { forbidden } from '../api/status.ts';
import { numberAt, objectAt, textAt } from '../lib/json-path.ts';
import { cloneJson, type JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { hiddenInheritedScopes, hiddenMadeWith } from './access-key-hidden.ts';
import { isOfItsOwner, ownerMembers } from './access-key-owner.ts';
import { keyStateOf, scopesOf } from './access-key-state.ts';
import type { ManagementDependencies } from './dependencies.ts';
import { isLogin } from './login-keys.ts';

type Known = Pick<ManagementDependencies, 'state' | 'settings' | 'clock'>;

/** How many keys somebody may have; what the server makes itself (logins) and what has ended is not counted. */
export function checkKeyCount(key: KubeObject, context: RequestContext, { state, settings, clock }: Known): void {
  const limit = settings.accessKeys.perUser;
  if (context.system || limit <= 0) return;
  const owner = ownerMembers.find((member) => textAt(key, 'spec', member) !== '');
  if (owner === undefined) return;
  const name = textAt(key, 'spec', owner);
  // Which of them count has to be looked at only where all of them together are too many.
  if (state.accessKeyCountOf(owner, name) < limit) return;
  let count = 0;
  for (const other of state.accessKeysOf(owner, name)) {
    const isCounted = (clientAccessKeyTypes as readonly string[]).includes(textAt(other, 'spec', 'type'));
    if (isCounted && isOfItsOwner(other, state) && accessKeyPhase(other, clock.now()) !== 'Expired') count++;
  }
  if (count < limit) return;
  throw forbidden(
    groupResourceOf(accessKeyKind),
    key.metadata.name ?? '',
    `exceeded quota, requested: ${accessKeyKind.plural}=1, used: ${accessKeyKind.plural}=${count}, limited: ${accessKeyKind.plural}=${limit}`,
  );
}

/** A write without a lifetime does not take one away that the server has set; none gives more than the maker has. */
export function keepLifetime(draft: Draft, spec: JsonObject, context: RequestContext, known: Known): void {
  const kept = numberAt(draft.old?.object, 'spec', 'ttl') ?? 0;
  const madeWith = objectAt(draft.hidden, hiddenMadeWith);
  const isServers = known.settings.accessKeys.maxTTL > 0 || madeWith !== undefined || isLogin(draft.object);
  if (spec.ttl === undefined && kept !== 0 && isServers) spec.ttl = kept;
  if (context.system || (numberAt(spec, 'ttl') ?? 0) === kept) return;
  const maker = known.state.accessKey(textAt(madeWith, 'name'));
  if (maker?.metadata.uid === textAt(madeWith, 'uid')) endWithMaker(draft.object, spec, maker, context, known);
}

/**
 * What a new key takes over from the key that it is made with: it does not outlive it, unless that one came from a
 * login, and it carries its scopes. The server's maximum comes on top. What the server makes itself it makes without a
 * key, but for a login that somebody opens with one.
 */
export function takeAfterMaker(draft: Draft, spec: JsonObject, context: RequestContext, known: Known): void {
  const { state, settings } = known;
  if (context.system && context.accessKey === undefined) return;
  const maker = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  const max = settings.accessKeys.maxTTL;
  if (max > 0 && (numberAt(spec, 'ttl') ?? 0) === 0) spec.ttl = max;
  if (maker === undefined) {
    if (context.accessKey === undefined) return;
    throw makerIsGone(draft);
  }

  const scopes = scopesOf(maker, state);
  if (scopes.length > 0) draft.hidden[hiddenInheritedScopes] = scopes.map((scope) => cloneJson(scope));
  const bound = isLogin(draft.object) ? maker : openedWith(maker, draft, state);
  if (bound === undefined) return;
  draft.hidden[hiddenMadeWith] = { name: bound.metadata.name ?? '', uid: bound.metadata.uid ?? '' };
  endWithMaker(draft.object, spec, bound, context, known);
}

/**
 * What is made during a login outlives it, but not the key that the login was opened with: nobody gets a longer life out
 * of a key by logging in with it. undefined: it was opened with a password.
 */
function openedWith(maker: KubeObject, draft: Draft, state: Known['state']): KubeObject | undefined {
  let link = maker;
  while (isLogin(link)) {
    const opener = objectAt(state.accessKeyHidden(link.metadata.name ?? ''), hiddenMadeWith);
    if (opener === undefined) return undefined;
    const found = state.accessKey(textAt(opener, 'name'));
    if (found === undefined || found.metadata.uid !== textAt(opener, 'uid')) throw makerIsGone(draft);
    link = found;
  }
  return link;
}

/** Nobody can say any more what it was narrowed to. */
function makerIsGone(draft: Draft): Error {
  const detail = 'the key that it would be made with is gone';
  return forbidden(groupResourceOf(accessKeyKind), draft.object.metadata.name ?? '', detail);
}

/** What a table shows as the end is then the end; what the maker's own end becomes later is seen to at each use. */
function endWithMaker(
  key: KubeObject,
  spec: JsonObject,
  maker: KubeObject,
  context: RequestContext,
  known: Known,
): void {
  const makersEnd = keyStateOf(maker, known.state).expiresAt;
  if (makersEnd === undefined) return;
  const own = accessKeyEnd(key);
  if (own !== undefined && own <= makersEnd) return;
  const created = Date.parse(key.metadata.creationTimestamp ?? '');
  const from = Number.isNaN(created) ? known.clock.now() : created;
  const most = Math.max(1, Math.floor((makersEnd - from) / 1000));
  if (own !== undefined) {
    context.warn(`spec.ttl is cut to ${most}: a key does not outlive the key that it is made with`);
  }
  spec.ttl = most;
}
