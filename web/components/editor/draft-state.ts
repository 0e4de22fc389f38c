import type { KubeObject } from '../../../src/api/meta.ts';
import { equalJson } from '../../../src/lib/json-value.ts';
import { writtenPart, writtenText } from './object-draft.ts';

/** A text that somebody writes while the object may change. */
export interface DraftState {
  /** What the text was made of: the version that a save names. */
  readonly base: KubeObject;
  readonly text: string;
  /** The newest that is known. */
  readonly live: KubeObject;
}

export type DraftAction =
  /** The object as the server has it, told by a watch or an answer; older ones come late and are passed over. */
  | { readonly type: 'live'; readonly object: KubeObject }
  | { readonly type: 'typed'; readonly text: string }
  /** A text that holds both what was typed and what changed meanwhile. */
  | { readonly type: 'merged'; readonly text: string }
  | { readonly type: 'dropped' }
  | { readonly type: 'saved'; readonly object: KubeObject };

export function startDraft(
  object: KubeObject,
  kept?: { readonly base: KubeObject; readonly text: string },
): DraftState {
  if (kept === undefined) return fresh(object);
  return draftReducer({ ...kept, live: kept.base }, { type: 'live', object });
}

function fresh(object: KubeObject): DraftState {
  return { base: object, text: writtenText(object), live: object };
}

export function isDirty({ base, text }: DraftState): boolean {
  return text !== writtenText(base);
}

/** Whether the object is another than the one that the text was made of, in what people write. */
export function hasChangedMeanwhile({ base, live }: DraftState): boolean {
  return base !== live && !equalJson(writtenPart(base), writtenPart(live));
}

export function draftReducer(state: DraftState, action: DraftAction): DraftState {
  switch (action.type) {
    case 'live': {
      if (!isNewer(action.object, state.live)) return state;
      if (!isDirty(state)) return fresh(action.object);
      const next = { ...state, live: action.object };
      // What only the server writes is nobody's conflict; and what was typed may be just what came.
      if (!hasChangedMeanwhile(next)) return { ...next, base: action.object };
      return state.text === writtenText(action.object) ? fresh(action.object) : next;
    }
    case 'typed':
      return { ...state, text: action.text };
    case 'merged':
      return { ...state, text: action.text, base: state.live };
    case 'dropped':
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
