import { StatusError } from '../../src/api/status.ts';

/** What the server says is wrong with a field, by the field's path as the server writes it. */
export type FieldProblems = (path: string) => string | undefined;

/** The problems that an answer names; nothing for an error of another kind. Paths below a field count as its own. */
export function fieldProblems(error: unknown): FieldProblems {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return (path) => {
    const own = causes.filter(
      ({ field = '' }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    );
    return own.length === 0 ? undefined : own.map(({ message = '' }) => message).join('; ');
  };
}

/** Those that belong to none of the fields that a form shows. */
export function otherProblems(error: unknown, paths: readonly string[]): readonly string[] {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  const isShown = (field: string) =>
    paths.some((path) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
  return causes
    .filter(({ field = '' }) => !isShown(field))
    .map(({ field = '', message = '' }) => `${field}: ${message}`);
}
