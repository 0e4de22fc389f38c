import { equalJson } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import { editablePart, editableText } from './object-draft.ts';

/** The state of an editor. The user edits the text, and the object may also change on the server meanwhile. */
export interface DraftState {
  /** The version of the object from which the user started. A save fails if the server has a newer version. */
  readonly base: KubeObject;
  readonly text: string;
  /** The newest known version of the object. */
  readonly live: KubeObject;
}

export type DraftAction =
  /**
   * A version of the object arrived, from a watch or a response. Versions older than the newest known one are ignored.
   */
  | { readonly type: 'live'; readonly object: KubeObject }
  | { readonly type: 'typed'; readonly text: string }
  /** A merge replaced the text with a text that contains both the user's edits and the changes made by others. */
  | { readonly type: 'merged'; readonly text: string }
  | { readonly type: 'discarded' }
  | { readonly type: 'saved'; readonly object: KubeObject };

export function startDraft(
  object: KubeObject,
  kept?: { readonly base: KubeObject; readonly text: string },
): DraftState {
  if (kept === undefined) return fresh(object);
  return draftReducer({ ...kept, live: kept.base }, { type: 'live', object });
}

function fresh(object: KubeObject): DraftState {
  return { base: object, text: editableText(object), live: object };
}

export function isDirty({ base, text }: DraftState): boolean {
  return text !== editableText(base);
}

/** True if others have changed a user-written part of the object since the version `base`. */
export function hasUpstreamChanges({ base, live }: DraftState): boolean {
  return base !== live && !equalJson(editablePart(base), editablePart(live));
}

export function draftReducer(state: DraftState, action: DraftAction): DraftState {
  switch (action.type) {
    case 'live': {
      if (!isNewer(action.object, state.live)) return state;
      if (!isDirty(state)) return fresh(action.object);
      const next = { ...state, live: action.object };
      // If only server-managed fields changed, the new version becomes the base of the edits. If the text equals the
      // new version, there are no edits left.
      if (!hasUpstreamChanges(next)) return { ...next, base: action.object };
      return state.text === editableText(action.object) ? fresh(action.object) : next;
    }
    case 'typed':
      return { ...state, text: action.text };
    case 'merged':
      return { ...state, text: action.text, base: state.live };
    case 'discarded':
      return fresh(state.live);
    case 'saved':
      return fresh(action.object);
  }
}

const digits = /^\d+$/;

function isNewer(object: KubeObject, than: KubeObject): boolean {
  const [a = '', b = ''] = [object.metadata.resourceVersion, than.metadata.resourceVersion];
  if (digits.test(a) && digits.test(b) && object.metadata.uid === than.metadata.uid) return BigInt(a) > BigInt(b);
  return a !== b || object.metadata.uid !== than.metadata.uid;
}
