import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../../lib/log.ts';
import { warnAboutSharedGroups } from './warn-about-shared-groups.ts';

/**
 * Returns the warnings for connectors a, b and so on with these prefixes. Each warning lists a connector and the
 * connectors whose groups it can assign.
 */
function warningsAbout(...prefixes: readonly (string | undefined)[]): string[] {
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields: object) => {
      const { connector, others } = fields as { connector: string; others: readonly string[] };
      warnings.push(`${connector} > ${others.join()}`);
    },
  };
  const connectors = prefixes.map((groupsPrefix, index) => ({
    name: String.fromCharCode(97 + index),
    ...(groupsPrefix === undefined ? {} : { groupsPrefix }),
  }));
  warnAboutSharedGroups(connectors, log);
  return warnings;
}

describe('the warning about connectors that share groups', () => {
  it.each([
    ['several connectors have no prefix', [undefined, undefined], ['a > b', 'b > a']],
    ['one connector has no prefix', [undefined, 'b:'], ['a > b']],
    ['a prefix is the beginning of another one', ['a:', 'b:', 'a:c:'], ['a > c']],
    ['two prefixes are equal', ['a:', 'a:'], ['a > b', 'b > a']],
  ] as const)('is logged if %s', (_, prefixes, expected) => {
    expect(warningsAbout(...prefixes)).toEqual(expected);
  });

  it('is not logged if no prefix is the beginning of another one', () => {
    for (const prefixes of [[], [undefined], ['a:'], ['a:', 'b:'], ['a:', 'A:b']])
      expect(warningsAbout(...prefixes)).toEqual([]);
  });
});
