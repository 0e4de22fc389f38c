import type { FileHandle } from 'node:fs/promises';
import { badRequest, expired } from '../api/status.ts';
import { beginningOf, type LogFile, type LogPlace, withLogFile } from './log-files.ts';

/** Where a search goes on: in which file, and below which offset. */
export interface SearchPosition {
  readonly index: number;
  readonly offset: number;
}

/** As it stands in `continue`: it holds while the file is kept, whatever is written and set aside meanwhile. */
export async function writePosition(file: FileHandle, number: bigint, offset: number): Promise<string> {
  return Buffer.from(`${number} ${await beginningOf(file)} ${offset}`).toString('base64url');
}

const form = /^(\d{1,20}) ([0-9a-f]{16}) (\d{1,15})$/;

/** Throws 400 for what no answer gave, and 410 where the file is gone. */
export async function readPosition(token: string, place: LogPlace, files: readonly LogFile[]): Promise<SearchPosition> {
  const [, number, beginning, offset] = form.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (number === undefined || offset === undefined) {
    throw badRequest('the query is not valid: continue must be what an answer before gave');
  }
  const index = files.findIndex((each) => each.number === BigInt(number));
  const file = files[index];
  const found = file && (await withLogFile(place, file, beginningOf));
  if (file === undefined || found !== beginning || Number(offset) > file.size) {
    throw expired('what continue points to is not kept any more: search again from the newest line');
  }
  return { index, offset: Number(offset) };
}
