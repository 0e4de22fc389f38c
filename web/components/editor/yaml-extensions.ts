import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { codeTheme } from './code-theme.ts';

/** What every view of a YAML text has. `labelledBy`, `describedBy`: ids of elements. */
export function readingExtensions({
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
    // Whoever goes by keyboard goes into what is only to be read too.
    EditorView.contentAttributes.of({
      'aria-labelledby': labelledBy,
      ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
      ...(readOnly ? { 'aria-readonly': 'true', inputmode: 'none' } : {}),
      // Escape is the editor's own: it does not close the dialog around it.
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

/** How long after Escape a Tab still leaves: nobody has to hurry. */
const leavingTime = 10_000;

/** Tab goes in; after Escape it leaves, also where Escape closed a list of proposals. */
const leavable = Prec.highest(
  EditorView.domEventHandlers({
    keydown(event, view) {
      if (event.key === 'Escape') view.setTabFocusMode(leavingTime);
      return false;
    },
  }),
);

/** What somebody who writes needs besides. */
export const writingExtensions: Extension = [
  leavable,
  history(),
  indentUnit.of('  '),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  keymap.of([...completionKeymap, ...closeBracketsKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
];
