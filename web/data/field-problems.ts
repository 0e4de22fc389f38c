import { StatusError } from '../../src/api/status.ts';

/** Returns the server's message about the field at a path; `undefined` if there is none. */
export type FieldProblems = (path: string) => string | undefined;

/**
 * Returns the field problems in an error response. A problem of a nested field also counts as a problem of the outer
 * field.
 */
export function fieldProblems(error: unknown): FieldProblems {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return (path) => {
    const own = causes.filter(
      ({ field = '' }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    );
    return own.length === 0 ? undefined : own.map(({ message = '' }) => message).join('; ');
  };
}

/** Returns the problems of fields that the form does not show. `paths` are the fields that the form shows. */
export function otherProblems(error: unknown, paths: readonly string[]): readonly string[] {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  const isShown = (field: string) =>
    paths.some((path) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
  return causes
    .filter(({ field = '' }) => !isShown(field))
    .map(({ field = '', message = '' }) => `${field}: ${message}`);
}
