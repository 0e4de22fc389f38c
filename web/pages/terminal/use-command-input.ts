import { type KeyboardEvent, useRef, useState } from 'react';
import type { ApiRoot } from '../../data/api-root.ts';
import type { ServedKind } from '../../data/discovery.ts';
import { type Completion, complete } from './kubectl/complete.ts';
import { completionApi } from './page-api.ts';

export interface CommandInputOptions {
  readonly root: ApiRoot;
  readonly namespace: string;
  readonly isRunning: boolean;
  /** Returns the earlier commands, the latest one last. */
  history(): readonly string[];
  served(): Promise<readonly ServedKind[]>;
  onStop(): void;
  onClear(): void;
}

const noCompletion: Completion = { from: 0, options: [] };

/** The state of the field for a command: its text, its completions and the recalled command. */
export function useCommandInput(options: CommandInputOptions) {
  const [line, setLine] = useState('');
  const [completion, setCompletion] = useState(noCompletion);
  const [selected, setSelected] = useState(0);
  /**
   * `at` is the position in the history, counted from its end. At 0, the input is the line that the user is typing,
   * kept in `typed`.
   */
  const recalled = useRef({ at: 0, typed: '' });
  const completing = useRef<AbortController>(undefined);

  function change(text: string): void {
    completing.current?.abort();
    setLine(text);
    setCompletion(noCompletion);
  }

  function recall(step: 1 | -1): void {
    const commands = options.history();
    const { at, typed } = recalled.current;
    const next = at + step;
    if (next < 0 || next > commands.length) return;
    recalled.current = { at: next, typed: at === 0 ? line : typed };
    change(next === 0 ? recalled.current.typed : (commands.at(-next) ?? ''));
  }

  function accept({ from }: Completion, option: string): void {
    // Adds a space after the completion, except after a flag that needs a value, whose completion ends with an equals
    // sign.
    change(`${line.slice(0, from)}${option}${option.endsWith('=') ? '' : ' '}`);
  }

  async function requestCompletion(): Promise<void> {
    const { root, namespace, served } = options;
    const request = new AbortController();
    completing.current?.abort();
    completing.current = request;
    const found = await complete(line, { api: completionApi, root, namespace, served, signal: request.signal });
    const [only, another] = found.options;
    if (request.signal.aborted || only === undefined) return;
    if (another === undefined) {
      accept(found, only);
      return;
    }
    const common = commonStart(found.options);
    if (common.length > line.length - found.from) setLine(line.slice(0, found.from) + common);
    setCompletion(found);
    setSelected(0);
  }

  const select = (step: number) => {
    const count = completion.options.length;
    setSelected((before) => (before + step + count) % count);
  };

  /** Handles a key if completions are open. Returns false for keys that completions do not use. */
  function handleCompletionKey(key: string): boolean {
    if (key === 'ArrowRight' || key === 'Tab') select(1);
    else if (key === 'ArrowLeft') select(-1);
    else if (key === 'Enter') accept(completion, completion.options[selected] ?? '');
    else if (key === 'Escape') setCompletion(noCompletion);
    else return false;
    return true;
  }

  /** Handles the keys of the line. Returns false for keys that the field itself handles. */
  function handleLineKey({ key, ctrlKey, currentTarget }: KeyboardEvent<HTMLInputElement>): boolean {
    const hasSelection = currentTarget.selectionStart !== currentTarget.selectionEnd;
    // Tab completes the command. If the line is empty, Tab leaves the field.
    if (key === 'Tab' && line !== '') void requestCompletion();
    else if (key === 'Escape') change('');
    else if (key === 'ArrowUp') recall(1);
    else if (key === 'ArrowDown') recall(-1);
    else if (ctrlKey && key === 'c' && !hasSelection) options.isRunning ? options.onStop() : change('');
    else if (ctrlKey && key === 'l') options.onClear();
    else return false;
    return true;
  }

  return {
    line,
    completion,
    selected,
    change,
    accept: (option: string) => accept(completion, option),
    forgetRecalled: () => {
      recalled.current = { at: 0, typed: '' };
    },
    handleKey(event: KeyboardEvent<HTMLInputElement>): void {
      if (event.key === 'Tab' && event.shiftKey) return;
      const isOpen = completion.options.length > 0;
      if ((isOpen && handleCompletionKey(event.key)) || handleLineKey(event)) event.preventDefault();
    },
  };
}

/** Returns the longest text with which all options start. */
function commonStart([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}
