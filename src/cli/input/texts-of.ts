import type { CallValues } from '../command-call.ts';

/** The options that were given, under the names of the members that they fill. */
export function textsOf(values: CallValues, members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([option, member]) => {
      const value = values.text(option);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}
