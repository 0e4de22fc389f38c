import type { CallValues } from '../command-call.ts';

/** Returns the given options, keyed by the spec fields that they set. */
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
