/** A compile error in an expression. `at` is the offset in the source text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** The first syntax error in an expression. The parser throws it and stops. */
export class SyntaxIssue extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Formats issues as Kubernetes does: the message, the source line, and a marker below the position. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  return issues.map((issue) => describeIssue(text, issue)).join('\n');
}

function describeIssue(text: string, { at, message }: Issue): string {
  if (text === '') return `ERROR: <input>:1:0: ${message}`;
  const before = text.slice(0, at).split('\n');
  const row = before.length;
  const column = [...(before[row - 1] as string)].length;
  const line = (text.split('\n')[row - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${row}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
