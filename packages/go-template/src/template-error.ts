/** A position in a template. Lines and columns are counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Thrown for a template that cannot be parsed, or that cannot be executed with the given values. If the template takes
 * too much work, `cause` is the WorkLimitError.
 */
export class TemplateError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position, options?: ErrorOptions) {
    super(`line ${position.line}, column ${position.column}: ${message}`, options);
    this.name = 'TemplateError';
    this.position = position;
  }
}

/**
 * Returns the line and column of an offset in a text. It reads the text up to the offset, so it is called only for
 * errors; tokens and nodes keep offsets.
 */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++;
  return { line, column: offset - lineStart + 1 };
}
