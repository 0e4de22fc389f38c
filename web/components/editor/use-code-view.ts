import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** Marks what the page itself put into the text. */
const fromPage = Annotation.define<boolean>();

/** Texts that were told to the page and that it has not given back yet; more than these it will not. */
const mostTold = 64;

export interface CodeViewOptions {
  readonly value: string;
  readonly onChange?: ((value: string) => void) | undefined;
  /** Asked once, when the view is made, and again when `remadeFor` is another. */
  extensions(): Extension;
  readonly remadeFor?: string;
}

/** An editor in an element, whose text is the page's; what is typed while the page is busy is not overwritten. */
export function useCodeView({ value, onChange, extensions, remadeFor = '' }: CodeViewOptions): {
  readonly element: RefObject<HTMLDivElement | null>;
  readonly view: EditorView | undefined;
} {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const latest = useRef({ value, onChange, extensions });
  latest.current = { value, onChange, extensions };
  const told = useRef<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another reason to make it anew is what `remadeFor` is for.
  useEffect(() => {
    if (element.current === null) return;
    const listen = EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.every((each) => each.annotation(fromPage) === true)) return;
      const text = update.state.doc.toString();
      told.current = [...told.current, text].slice(-mostTold);
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
  }, [remadeFor]);

  useEffect(() => {
    if (view === undefined) return;
    const echo = told.current.lastIndexOf(value);
    if (echo >= 0) {
      told.current = told.current.slice(echo + 1);
      return;
    }
    const change = differenceOf(view.state.doc.toString(), value);
    if (change !== undefined) view.dispatch({ changes: change, annotations: fromPage.of(true) });
  }, [view, value]);

  return { element, view };
}

/** The one stretch that is another: cursor and folds outside it stay. */
function differenceOf(was: string, is: string): { from: number; to: number; insert: string } | undefined {
  if (was === is) return undefined;
  const shorter = Math.min(was.length, is.length);
  let start = 0;
  while (start < shorter && was[start] === is[start]) start++;
  let end = 0;
  while (end < shorter - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  return { from: start, to: was.length - end, insert: is.slice(start, is.length - end) };
}
