import type { EncryptionStatus, RewriteProgress } from '../../../api/encryption/encryption-status.ts';

/** Returns the lines that describe the encryption of a store (`EncryptionStatus`). */
export function encryptionLines(status: Partial<EncryptionStatus>): string[] {
  const { rootKeys = '', nextRootKey = '', neededRootKeys = [], dataKey = '', problem = '' } = status;
  const { rewrite, rewrittenAt = '' } = status;
  const rows: readonly (readonly [string, string])[] = [
    ['Encrypted', encryptedRows(status)],
    ['Root keys', rootKeys],
    ['Current key', nextRootKey || '<unknown>'],
    ['Needed keys', neededRootKeys.join(', ')],
    ['Data key', dataKey || '<none>'],
    ['Rewrite', rewrite === undefined ? lastRewrite(rewrittenAt) : progressLine(rewrite)],
    ...(problem === '' ? [] : [['Problem', problem] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${value}`);
}

/** Returns a line with the progress of rewriting all rows of the store. */
export function progressLine({ done, total, problem = '' }: RewriteProgress): string {
  const progress = total === undefined ? 'counting rows' : `${done} of ${total} rows written`;
  return problem === '' ? progress : `${progress}; waiting: ${problem}`;
}

function lastRewrite(at: string): string {
  return at === '' ? 'never' : `finished at ${at}`;
}

function encryptedRows({ rows, isActive }: Partial<EncryptionStatus>): string {
  if (rows === 'secrets') return 'secrets';
  return isActive === true ? 'all rows' : 'all rows, as soon as every server can read them';
}
