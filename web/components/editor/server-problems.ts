import { StatusError } from '../../../src/api/status.ts';
import type { TextProblem } from '../yaml-field.tsx';

const unknownField = /(?:unknown|duplicate) field "((?:[^"\\]|\\.)*)"/g;
const insideText = /\bline (\d+), column \d+\b/;

/** What a refusal says of single fields; nothing where it is about all of it. */
export function serverProblems(error: unknown): readonly TextProblem[] {
  if (!(error instanceof StatusError)) return [];
  const causes = error.status.details?.causes ?? [];
  const named = causes.flatMap(({ field = '', message = '' }) => (field === '' ? [] : [problemAt(field, message)]));
  if (named.length > 0) return named;
  return [...error.message.matchAll(unknownField)].map(([told, path = '']) => ({
    path,
    message: `${told.startsWith('unknown') ? 'There is no such field' : 'This field is given twice'}: ${path}`,
  }));
}

/** A field that holds a text of its own may name the line in it. */
function problemAt(path: string, message: string): TextProblem {
  const line = insideText.exec(message)?.[1];
  return { path, message, ...(line === undefined ? {} : { line: Number(line) }) };
}
