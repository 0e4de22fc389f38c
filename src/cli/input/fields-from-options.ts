import type { CallValues } from '../command-call.ts';

/** Returns the values of the given options. `members` maps the name of each option to the spec field that it sets. */
export function fieldsFromOptions<Member extends string>(
  values: CallValues,
  members: Readonly<Record<string, Member>>,
): { [Each in Member]?: string } {
  const given: { [Each in Member]?: string } = {};
  for (const [option, member] of Object.entries(members)) {
    const value = values.text(option);
    if (value !== undefined) given[member] = value;
  }
  return given;
}
