import { isSameField, type Steps } from './field-steps.ts';

/** Where somebody is in a text that is still being written, and so is seldom whole: told by how far lines go in. */
export type CursorPlace =
  | {
      readonly kind: 'name';
      /** The object that a member's name is written in. */
      readonly parent: Steps;
      /** Where the name begins, from the beginning of the line. */
      readonly column: number;
      /** Members that the object has already, without the one of this line. */
      readonly present: readonly string[];
    }
  | { readonly kind: 'value'; readonly steps: Steps; readonly column: number };

/** A line with a member, as hints need it. */
export interface MemberLine {
  readonly line: number;
  readonly parent: Steps;
  readonly name: string;
  readonly column: number;
}

interface Level {
  readonly column: number;
  readonly isList: boolean;
  step: string | number;
}

const member = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)/;
const blockText = /^[|>][-+0-9]*\s*(?:#.*)?$/;

/** Goes through the lines from the top, knowing at each in which object it is. */
class LineWalk {
  readonly levels: Level[] = [];
  readonly members: MemberLine[] = [];
  /** Lines further in than this belong to a text of several lines. */
  #textBeyond = -1;

  /** Whether the line is part of a text over several lines; then it says nothing. */
  isText(line: string): boolean {
    if (this.#textBeyond < 0) return false;
    if (line.trim() === '' || indentOf(line) > this.#textBeyond) return true;
    this.#textBeyond = -1;
    return false;
  }

  take(line: string, number: number): void {
    if (this.isText(line)) return;
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    if (/^(---|\.\.\.)(\s|$)/.test(line)) {
      this.levels.length = 0;
      return;
    }
    const column = this.intoItems(line);
    const rest = line.slice(column);
    const match = member.exec(rest);
    if (match === null) return;
    const name = unquoted(match[1] ?? '');
    this.enter(column);
    this.members.push({ line: number, parent: this.steps(), name, column });
    this.levels.push({ column, isList: false, step: name });
    if (blockText.test(rest.slice(match[0].length).trim())) this.#textBeyond = column;
  }

  /** Steps into the list items that the line opens; gives the column of what stands in the innermost. */
  intoItems(line: string): number {
    let column = indentOf(line);
    while (line[column] === '-' && (line[column + 1] === ' ' || line[column + 1] === undefined)) {
      this.#leave((level) => level.column > column);
      const top = this.levels.at(-1);
      if (top?.isList && top.column === column && typeof top.step === 'number') top.step++;
      else this.levels.push({ column, isList: true, step: 0 });
      column += 1;
      while (line[column] === ' ') column++;
    }
    return column;
  }

  /** Leaves everything that a member in this column is not part of. */
  enter(column: number): void {
    this.#leave((level) => level.column >= column);
  }

  steps(): Steps {
    return this.levels.map(({ step }) => step);
  }

  #leave(isOver: (level: Level) => boolean): void {
    for (let top = this.levels.at(-1); top !== undefined && isOver(top); top = this.levels.at(-1)) this.levels.pop();
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unquoted(name: string): string {
  return /^(".*"|'.*')$/.test(name) ? name.slice(1, -1) : name;
}

/** All members of a text with the objects they are in. */
export function memberLines(lines: readonly string[]): readonly MemberLine[] {
  const walk = new LineWalk();
  for (const [number, line] of lines.entries()) walk.take(line, number);
  return walk.members;
}

/** `line` from 0, `column` of the cursor in it. Undefined: where nothing can be proposed, in a comment or a text. */
export function cursorPlace(lines: readonly string[], line: number, column: number): CursorPlace | undefined {
  const walk = new LineWalk();
  for (let number = 0; number < line; number++) walk.take(lines[number] ?? '', number);
  const before = (lines[line] ?? '').slice(0, column);
  if (walk.isText(before.trim() === '' ? lines[line] || before : before)) return undefined;
  if (/(^|\s)#/.test(before)) return undefined;
  const start = walk.intoItems(before);
  const rest = before.slice(start);
  const match = member.exec(rest);
  if (match !== null) {
    walk.enter(start);
    const value = rest.slice(match[0].length);
    const steps = [...walk.steps(), unquoted(match[1] ?? '')];
    return { kind: 'value', steps, column: before.length - value.trimStart().length };
  }
  if (/[\s"'{[]/.test(rest)) return undefined;
  walk.enter(start);
  const parent = walk.steps();
  const present = memberLines(lines)
    .filter((other) => other.line !== line && isSameField(other.parent, parent))
    .map(({ name }) => name);
  return { kind: 'name', parent, column: start, present };
}
