import { type Diagnostic, forceLinting, linter, lintGutter } from '@codemirror/lint';
import { type EditorState, type Extension, StateEffect, StateField, type Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { TextProblem } from '../editor-props.ts';
import { parseObjectText } from '../object-draft.ts';
import { schemaField, setSchema } from '../schema/schema-support.ts';
import { schemaViolations } from '../schema/schema-violations.ts';
import { type YamlPositions, yamlPositions } from '../yaml-positions.ts';

const setProblems = StateEffect.define<readonly Diagnostic[]>();

/** Problems that the page reports. A mark moves with the text, and disappears if its line is edited. */
const externalProblems = StateField.define<readonly Diagnostic[]>({
  create: () => [],
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setProblems)) return effect.value;
    if (!transaction.docChanged || marks.length === 0) return marks;
    return marks.flatMap((mark) => {
      const from = transaction.changes.mapPos(mark.from, 1);
      const to = Math.max(transaction.changes.mapPos(mark.to, -1), from);
      const before = transaction.startState.doc.lineAt(mark.from).text;
      return transaction.newDoc.lineAt(from).text === before ? [{ ...mark, from, to }] : [];
    });
  },
});

export function showProblems(view: EditorView, problems: readonly TextProblem[]): void {
  const text = view.state.doc.toString();
  const places = placesOf(text);
  const marks = problems.map((problem) => diagnosticOf(problem, view.state.doc, places, 'error'));
  view.dispatch({ effects: setProblems.of(marks) });
  forceLinting(view);
}

function placesOf(text: string): YamlPositions | undefined {
  try {
    return yamlPositions(text);
  } catch {
    return undefined;
  }
}

/**
 * Converts a problem to a diagnostic. Marks the field at `path` or the line `line`. If both are given, `line` counts
 * inside the text value at `path`. A problem without a known place is shown at the first line.
 */
function diagnosticOf(
  { path, line, message }: TextProblem,
  doc: Text,
  places: YamlPositions | undefined,
  severity: Diagnostic['severity'],
): Diagnostic {
  const place = path === undefined ? undefined : places?.find(path);
  if (place !== undefined && line !== undefined && place.firstLine !== undefined) {
    return { ...lineRange(doc, doc.lineAt(place.firstLine).number + line - 1), severity, message };
  }
  if (place !== undefined) return { from: place.at.from, to: Math.min(place.at.to, doc.length), severity, message };
  const whole = path === undefined || path === '' ? message : `${path}: ${message}`;
  return { ...lineRange(doc, path === undefined ? (line ?? 1) : 1), severity, message: whole };
}

function lineRange(doc: Text, number: number): { from: number; to: number } {
  const { from, to, text } = doc.line(Math.min(Math.max(number, 1), doc.lines));
  return { from: from + (text.length - text.trimStart().length), to };
}

/** Returns all problems of the current text: YAML errors, schema violations and problems that the page reports. */
function diagnose(state: EditorState): readonly Diagnostic[] {
  const text = state.doc.toString();
  const external = state.field(externalProblems);
  if (text.trim() === '') return external;
  const tree = state.field(schemaField);
  const places = placesOf(text);
  const read = parseObjectText(text);
  // Checks the fields only with a schema. Without a schema any YAML is valid, including lists and several documents.
  const own = tree === undefined && places !== undefined ? [] : read.problems;
  const faults = read.value === undefined || tree === undefined ? [] : schemaViolations(read.value, tree);
  return [
    ...own.map((problem) => diagnosticOf(problem, state.doc, places, 'error')),
    ...faults.map(({ steps, message }): Diagnostic => {
      const at = places?.at(steps)?.at ?? { from: 0, to: 0 };
      return { from: at.from, to: Math.min(at.to, state.doc.length), severity: 'warning', message };
    }),
    ...external,
  ];
}

export const problemLinter: Extension = [
  externalProblems,
  linter(({ state }) => diagnose(state), {
    delay: 300,
    needsRefresh: ({ transactions }) =>
      transactions.some(({ effects }) => effects.some((effect) => effect.is(setSchema) || effect.is(setProblems))),
  }),
  lintGutter(),
];
