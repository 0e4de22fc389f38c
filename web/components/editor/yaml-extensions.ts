import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { codeTheme } from './code-theme.ts';

/** Returns the extensions that every YAML view needs. `labelledBy` and `describedBy` are ids of HTML elements. */
export function viewExtensions({
  labelledBy,
  describedBy,
  readOnly,
}: {
  readonly labelledBy: string;
  readonly describedBy?: string | undefined;
  readonly readOnly: boolean;
}): Extension {
  return [
    codeTheme,
    yaml(),
    lineNumbers(),
    foldGutter(),
    drawSelection(),
    EditorState.tabSize.of(2),
    EditorState.readOnly.of(readOnly),
    // Makes read-only texts focusable too, so keyboard users can scroll them.
    EditorView.contentAttributes.of({
      'aria-labelledby': labelledBy,
      ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
      ...(readOnly ? { 'aria-readonly': 'true', inputmode: 'none' } : {}),
      // Escape is handled only by the editor. Otherwise Escape would also close the surrounding dialog.
      ...(readOnly ? {} : { 'data-mantine-stop-propagation': 'true' }),
      tabindex: '0',
      spellcheck: 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
      translate: 'no',
    }),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
  ];
}

/** The milliseconds after Escape in which Tab leaves the editor. The value is large because some users type slowly. */
const tabFocusMs = 10_000;

/** Tab indents. After Escape, Tab leaves the editor, even if Escape only closed the completion list. */
const escapeThenTab = Prec.highest(
  EditorView.domEventHandlers({
    keydown(event, view) {
      if (event.key === 'Escape') view.setTabFocusMode(tabFocusMs);
      return false;
    },
  }),
);

/** The additional extensions of a view that the user can edit. */
export const editExtensions: Extension = [
  escapeThenTab,
  history(),
  indentUnit.of('  '),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  keymap.of([...completionKeymap, ...closeBracketsKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
];
