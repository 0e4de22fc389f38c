import { type Dispatch, type RefObject, useState } from 'react';
import type { KubeObject } from '../../../src/api/meta.ts';
import { notify } from '../notifications.tsx';
import { type DraftAction, type DraftState, hasUpstreamChanges } from './draft-state.ts';
import type { ObjectEditorProps, TextProblem } from './editor-props.ts';
import { identityProblems, type parseObjectText } from './object-draft.ts';
import { serverProblems } from './problems/server-problems.ts';
import { writeDraft } from './write-draft.ts';

interface ReviewedSaveOptions extends Pick<ObjectEditorProps, 'kind'> {
  /** The API server; `undefined` for the management API. */
  readonly root: ObjectEditorProps['root'] | undefined;
  readonly onSaved: ObjectEditorProps['onSaved'] | undefined;
  readonly state: DraftState;
  readonly dispatch: Dispatch<DraftAction>;
  /** The object that the text of the draft contains, or the problems of the text. */
  readonly read: ReturnType<typeof parseObjectText>;
  /** The notice that the object changed on the server. The notice gets the focus if such a change stopped a save. */
  readonly notice: RefObject<HTMLElement | null>;
}

const noProblems: readonly TextProblem[] = [];

/** Saves a draft in two steps: first a review, for which the server checks the draft with a dry run, then the write. */
export function useReviewedSave({ kind, root, state, dispatch, read, notice, onSaved }: ReviewedSaveOptions) {
  const [problems, setProblems] = useState<readonly TextProblem[]>(noProblems);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [checked, setChecked] = useState<{ readonly after: KubeObject }>();
  const where = root === undefined ? {} : { root };

  /**
   * Writes the draft. Returns `undefined` if it was not written because the object changed on the server. The page then
   * shows a notice.
   */
  async function write(dryRun: boolean): Promise<KubeObject | undefined> {
    if (read.value === undefined) return undefined;
    const written = await writeDraft(kind, read.value, state.base, { ...where, dryRun });
    if ('object' in written) return written.object;
    dispatch({ type: 'live', object: written.changedTo });
    setChecked(undefined);
    requestAnimationFrame(() => notice.current?.focus());
    return undefined;
  }

  async function review(): Promise<void> {
    setError(undefined);
    if (hasUpstreamChanges(state)) {
      notice.current?.focus();
      return;
    }
    const own = read.value === undefined ? read.problems : identityProblems(read.value, state.base);
    setProblems(own);
    if (own.length > 0 || isBusy) return;
    setBusy(true);
    try {
      const after = await write(true);
      if (after !== undefined) setChecked({ after });
    } catch (failure) {
      setProblems(serverProblems(failure));
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  async function save(): Promise<void> {
    const saved = await write(false);
    if (saved === undefined) return;
    dispatch({ type: 'saved', object: saved });
    notify.done(`Saved ${saved.metadata.name ?? 'object'}`);
    onSaved?.(saved);
  }

  return { problems, error, isBusy, checked, review, save, closeReview: () => setChecked(undefined) };
}
