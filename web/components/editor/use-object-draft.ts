import { useEffect, useReducer, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { unsavedDrafts } from '../../data/objects/unsaved-drafts.ts';
import { type DraftAction, type DraftState, draftReducer, isDirty, startDraft } from './draft-state.ts';

export interface ObjectDraft {
  readonly state: DraftState;
  readonly isDirty: boolean;
  /** True if the text was restored from an earlier visit to the page. */
  readonly isRestored: boolean;
  dispatch(action: DraftAction): void;
}

/** Returns the draft of an object. It follows changes to the object until the user edits the text. */
export function useObjectDraft(url: string, object: KubeObject): ObjectDraft {
  const [state, act] = useReducer(draftReducer, undefined, () => startDraft(object, unsavedDrafts.get(url)));
  const [isFromBefore, setFromBefore] = useState(() => unsavedDrafts.get(url) !== undefined);
  const dirty = isDirty(state);

  useEffect(() => act({ type: 'live', object }), [object]);

  useEffect(() => {
    if (dirty) unsavedDrafts.keep(url, { base: state.base, text: state.text });
    else {
      unsavedDrafts.forget(url);
      setFromBefore(false);
    }
  }, [url, dirty, state.base, state.text]);

  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [dirty]);

  return { state, isDirty: dirty, isRestored: isFromBefore, dispatch: act };
}
