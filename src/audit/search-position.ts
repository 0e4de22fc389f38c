import type { FileHandle } from 'node:fs/promises';
import { badRequest, expired } from '../api/status.ts';
import { firstLineDigest, type LogFile, type LogLocation, withLogFile } from './log-files.ts';

/** The position at which a search continues: the file, and the offset below which to search. */
export interface SearchPosition {
  readonly index: number;
  readonly offset: number;
}

/** The value of `continue`. It stays valid while the file is retained, despite writes and rotations. */
export async function formatSearchPosition(file: FileHandle, number: bigint, offset: number): Promise<string> {
  return Buffer.from(`${number} ${await firstLineDigest(file)} ${offset}`).toString('base64url');
}

const form = /^(\d{1,20}) ([0-9a-f]{16}) (\d{1,15})$/;

/** Throws 400 for an invalid token, and 410 if the file was removed. */
export async function parseSearchPosition(
  token: string,
  place: LogLocation,
  files: readonly LogFile[],
): Promise<SearchPosition> {
  const [, number, beginning, offset] = form.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (number === undefined || offset === undefined) {
    throw badRequest('the query is not valid: continue must be the metadata.continue of a previous response');
  }
  const index = files.findIndex((each) => each.inode === BigInt(number));
  const file = files[index];
  const found = file && (await withLogFile(place, file, firstLineDigest));
  if (file === undefined || found !== beginning || Number(offset) > file.size) {
    throw expired('the log file that continue refers to is no longer retained; start a new search without continue');
  }
  return { index, offset: Number(offset) };
}
