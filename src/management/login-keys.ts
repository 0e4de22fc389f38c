import { randomBytes } from 'node:crypto';
import type { KubeObject } from '../api/meta.ts';
import { objectAt, textAt } from '../lib/json-path.ts';
import type { RequestContext } from '../registry/context.ts';
import type { Draft } from '../registry/resource.ts';
import { hiddenMadeWith, hiddenMakerMark } from './access-key-hidden.ts';
import { makerMark } from './maker-mark.ts';
import type { ManagementState } from './state.ts';

/** In the hidden part of a user: another text for each password. In that of a login's key: the one it was made under. */
export const hiddenPasswordMark = 'passwordMark';
/** In the hidden part of a user: the uid of the one login that the last change of the password did not end. */
const hiddenKeptLogin = 'keptLogin';

export function isLogin(key: KubeObject): boolean {
  return textAt(key, 'spec', 'type') === 'Login';
}

/** A login holds for the password that its user had then, and for the key that it was opened with as that was then. */
export function markLogin(
  draft: Draft,
  state: Pick<ManagementState, 'userHidden' | 'accessKey' | 'accessKeyHidden'>,
): void {
  if (!isLogin(draft.object)) return;
  const maker = textAt(objectAt(draft.hidden, hiddenMadeWith), 'name');
  if (maker !== '') draft.hidden[hiddenMakerMark] = makerMark(maker, state);
  const mark = textAt(state.userHidden(textAt(draft.object, 'spec', 'user')), hiddenPasswordMark);
  if (mark !== '') draft.hidden[hiddenPasswordMark] = mark;
}

/**
 * Another password ends all logins of the user, whoever they may be by now, except the one that the user changes it
 * with. It is the same write that does both: there is no moment, and no crash, in between.
 */
export function endOtherLogins(draft: Draft, context: RequestContext, state: Pick<ManagementState, 'accessKey'>): void {
  draft.hidden[hiddenPasswordMark] = randomBytes(12).toString('base64url');
  delete draft.hidden[hiddenKeptLogin];
  const used = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (used?.metadata.uid === undefined || !isLogin(used)) return;
  if (textAt(used, 'spec', 'user') === draft.object.metadata.name) draft.hidden[hiddenKeptLogin] = used.metadata.uid;
}

/**
 * Whether the key is a login from before its user's password was changed, or before the key that it was opened with was
 * given another value, scope or group, or went.
 */
export function isEndedLogin(
  key: KubeObject,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden' | 'userHidden'>,
): boolean {
  if (!isLogin(key)) return false;
  const hidden = state.accessKeyHidden(key.metadata.name ?? '');
  const maker = textAt(objectAt(hidden, hiddenMadeWith), 'name');
  if (maker !== '' && textAt(hidden, hiddenMakerMark) !== makerMark(maker, state)) return true;
  const user = state.userHidden(textAt(key, 'spec', 'user'));
  const made = textAt(hidden, hiddenPasswordMark);
  return made !== textAt(user, hiddenPasswordMark) && textAt(user, hiddenKeptLogin) !== key.metadata.uid;
}
