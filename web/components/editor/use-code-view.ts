import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * Marks editor transactions that apply a new `value` from the page. Transactions without this mark come from typing.
 */
const fromPage = Annotation.define<boolean>();

/** The maximum number of typed texts that were reported to `onChange` but have not yet come back as `value`. */
const maxPendingEchoes = 64;

export interface CodeViewOptions {
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  /** Returns the extensions of the view. Called when the view is created, and again when `recreateKey` changes. */
  extensions(): Extension;
  readonly recreateKey?: string;
}

/** A CodeMirror editor controlled by `value`. An older `value` never overwrites text that was typed in the meantime. */
export function useCodeView({ value, onChange, extensions, recreateKey = '' }: CodeViewOptions): {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly view: EditorView | undefined;
} {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const latest = useRef({ value, onChange, extensions });
  latest.current = { value, onChange, extensions };
  const pendingEchoes = useRef<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `recreateKey` covers all other reasons to recreate the view.
  useEffect(() => {
    if (element.current === null) return;
    const listen = EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.every((each) => each.annotation(fromPage) === true)) return;
      const text = update.state.doc.toString();
      pendingEchoes.current = [...pendingEchoes.current, text].slice(-maxPendingEchoes);
      latest.current.onChange?.(text);
    });
    const made = new EditorView({
      parent: element.current,
      state: EditorState.create({ doc: latest.current.value, extensions: [latest.current.extensions(), listen] }),
    });
    setView(made);
    return () => {
      setView(undefined);
      made.destroy();
    };
  }, [recreateKey]);

  useEffect(() => {
    if (view === undefined) return;
    const echo = pendingEchoes.current.lastIndexOf(value);
    if (echo >= 0) {
      pendingEchoes.current = pendingEchoes.current.slice(echo + 1);
      return;
    }
    const change = differenceOf(view.state.doc.toString(), value);
    if (change !== undefined) view.dispatch({ changes: change, annotations: fromPage.of(true) });
  }, [view, value]);

  return { element, view };
}

/**
 * Returns only the range that differs between two texts. Replacing only this range keeps the cursor and the folded
 * sections elsewhere.
 */
function differenceOf(was: string, is: string): { from: number; to: number; insert: string } | undefined {
  if (was === is) return undefined;
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start++;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  return { from: start, to: was.length - end, insert: is.slice(start, is.length - end) };
}
