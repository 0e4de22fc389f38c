import type { CallValues } from '../command-call.ts';

/** Returns the given options, keyed by the spec fields that they set. */
export function fieldsFromOptions(
  values: CallValues,
  members: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([option, member]) => {
      const value = values.text(option);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}
