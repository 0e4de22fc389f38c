/** Something wrong with an expression, at a place of its text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Thrown by the parser, which ends at the first one. */
export class SyntaxIssue extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** All of them as people read them: message, line of text, and a mark under the place. */
export function describeIssues(text: string, issues: readonly Issue[]): string {
  return issues.map((issue) => describeIssue(text, issue)).join('\n');
}

function describeIssue(text: string, { at, message }: Issue): string {
  const before = text.slice(0, at).split('\n');
  const row = before.length;
  const column = [...(before[row - 1] as string)].length;
  const line = (text.split('\n')[row - 1] ?? '').replaceAll('\t', ' ');
  return `ERROR: <input>:${row}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
