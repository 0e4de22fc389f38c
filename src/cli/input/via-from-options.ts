import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';

const ways = ['auto', 'direct', 'gateway'] as const;

/**
 * The connection to an instance: through the direct endpoint of its cluster, through the gateway of the server, or
 * automatic.
 */
export type Via = (typeof ways)[number];

/** Returns the value of `--via`; `undefined` if the option is absent. */
export function viaFromOptions(values: Pick<CallValues, 'text'>): Via | undefined {
  const given = values.text('via');
  if (given === undefined) return undefined;
  const found = ways.find((way) => way === given);
  if (found === undefined) throw usageError(`--via: "${given}" is not auto, direct or gateway`);
  return found;
}
