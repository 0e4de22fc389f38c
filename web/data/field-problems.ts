import { StatusError } from '../../src/api/status.ts';

/** Returns the server's message about a field, given its path. */
export type FieldProblems = (path: string) => string | undefined;

/** Reads the field problems of an error; there are none for other errors. Paths below a field count as its own. */
export function fieldProblems(error: unknown): FieldProblems {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return (path) => {
    const own = causes.filter(
      ({ field = '' }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    );
    return own.length === 0 ? undefined : own.map(({ message = '' }) => message).join('; ');
  };
}

/** Returns the problems of fields that the form does not show. */
export function otherProblems(error: unknown, paths: readonly string[]): readonly string[] {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  const isShown = (field: string) =>
    paths.some((path) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
  return causes
    .filter(({ field = '' }) => !isShown(field))
    .map(({ field = '', message = '' }) => `${field}: ${message}`);
}
