import { StatusError } from '../../../../src/api/status.ts';
import type { TextProblem } from '../editor-props.ts';

const unknownField = /(?:unknown|duplicate) field "((?:[^"\\]|\\.)*)"/g;
const insideText = /\bline (\d+), column \d+\b/;

/** Returns the field problems in an error of the server; empty if the error is about the object as a whole. */
export function serverProblems(error: unknown): readonly TextProblem[] {
  if (!(error instanceof StatusError)) return [];
  const causes = error.status.details?.causes ?? [];
  const named = causes.flatMap(({ field = '', message = '' }) => (field === '' ? [] : [problemAt(field, message)]));
  if (named.length > 0) return named;
  return [...error.message.matchAll(unknownField)].map(([match, path = '']) => ({
    path,
    message: `${match.startsWith('unknown') ? 'Unknown field' : 'Duplicate field'}: ${path}`,
  }));
}

/**
 * Returns a problem with its line. If the field's value is a text of several lines, the error message may name a line
 * of that text.
 */
function problemAt(path: string, message: string): TextProblem {
  const line = insideText.exec(message)?.[1];
  return { path, message, ...(line === undefined ? {} : { line: Number(line) }) };
}
