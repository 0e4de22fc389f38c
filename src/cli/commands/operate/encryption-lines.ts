import { type JsonObject, numberAt, textAt, textsAt, valueAt } from '@flotilla/json';

/** Returns the lines that describe the encryption of a store (`EncryptionStatus`). */
export function encryptionLines(status: JsonObject): string[] {
  const rewrittenAt = textAt(status, 'rewrittenAt');
  const rows: readonly (readonly [string, string])[] = [
    ['Encrypted', encryptedRows(status)],
    ['Root keys', textAt(status, 'rootKeys')],
    ['Current key', textAt(status, 'nextRootKey') || '<unknown>'],
    ['Needed keys', textsAt(status, 'neededRootKeys').join(', ')],
    ['Data key', textAt(status, 'dataKey') || '<none>'],
    ['Rewrite', valueAt(status, 'rewrite') === undefined ? lastRewrite(rewrittenAt) : progressLine(status)],
    ...(textAt(status, 'problem') === '' ? [] : [['Problem', textAt(status, 'problem')] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${value}`);
}

/** Returns the progress of writing all rows again. */
export function progressLine(status: JsonObject): string {
  const [done, total] = [numberAt(status, 'rewrite', 'done') ?? 0, numberAt(status, 'rewrite', 'total')];
  const progress = total === undefined ? 'counting rows' : `${done} of ${total} rows written`;
  const problem = textAt(status, 'rewrite', 'problem');
  return problem === '' ? progress : `${progress}; waiting: ${problem}`;
}

function lastRewrite(at: string): string {
  return at === '' ? 'never' : `finished at ${at}`;
}

function encryptedRows(status: JsonObject): string {
  if (textAt(status, 'rows') === 'secrets') return 'secrets';
  return valueAt(status, 'isActive') === true ? 'all rows' : 'all rows, as soon as every server can read them';
}
