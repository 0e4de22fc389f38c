import { badRequest, expired, type StatusError } from '../api/status.ts';
import { type AuditLogFile, type AuditLogLocation, firstLineDigest, withAuditLogFile } from './log-files.ts';

/**
 * The position at which a search continues: the index of the file in the list of log files, and an offset in the file.
 * The search continues with the lines before that offset.
 */
export interface SearchPosition {
  readonly index: number;
  readonly offset: number;
}

/**
 * Returns a search position as the `continue` value of a response. The value stays valid until rotation removes the
 * file. `digest` is the digest of the first line of the file.
 */
export function formatSearchPosition({ inode }: AuditLogFile, digest: string, offset: number): string {
  return Buffer.from(`${inode} ${digest} ${offset}`).toString('base64url');
}

const tokenPattern = /^(\d{1,20}) ([0-9a-f]{16}) (\d{1,15})$/;

/** Parses a `continue` value. Throws 400 if it is invalid, and 410 if rotation has removed the log file. */
export async function parseSearchPosition(
  token: string,
  location: AuditLogLocation,
  files: readonly AuditLogFile[],
): Promise<SearchPosition> {
  const [, inode, digest, offset] = tokenPattern.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (inode === undefined || offset === undefined) throw invalidContinue();
  const index = files.findIndex((file) => file.inode === BigInt(inode));
  const file = files[index];
  const foundDigest = file && (await withAuditLogFile(location, file, firstLineDigest));
  if (file === undefined || foundDigest !== digest || Number(offset) > file.size) {
    throw expired(
      'the log file at which to continue the search has been removed; start a new search without the parameter continue',
    );
  }
  return { index, offset: Number(offset) };
}

export function invalidContinue(): StatusError {
  return badRequest(
    'the query parameter continue is not valid; copy it from metadata.continue of the previous response',
  );
}
