import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Lanes } from '../lib/lanes.ts';
import { linesOf } from '../lib/lines.ts';
import { errorCode, writePrivateFile } from '../lib/private-file.ts';

export interface AuditOutboxOptions {
  readonly path: string;
  /** A file of lines that has reached this is followed by another; what has been taken goes by whole files. */
  readonly segmentBytes?: number;
  /** Beyond this the oldest file goes, though nobody has taken it: it is in the agent's own audit log still. */
  readonly mostBytes?: number;
  onDropped?(lines: number): void;
}

/** Lines that are to be handed over, numbered without a gap, on disk until they are. */
export interface AuditOutbox {
  /** Tells this row of numbers from another one. */
  readonly id: string;
  /** Resolves when it is handed to the operating system. */
  add(line: string): Promise<void>;
  /** The oldest that are there, at most so many of about so many bytes, and the number of the first. */
  peek(most: number, mostBytes?: number): Promise<{ readonly first: number; readonly lines: readonly string[] }>;
  /** All below this number have been taken. */
  taken(next: number): Promise<void>;
  /** The number that the next line gets. */
  readonly end: number;
  close(): Promise<void>;
}

interface Segment {
  readonly first: number;
  count: number;
  bytes: number;
}

const nameOf = (first: number) => `${String(first).padStart(16, '0')}.jsonl`;

export async function openAuditOutbox(options: AuditOutboxOptions): Promise<AuditOutbox> {
  const { path, segmentBytes = 1024 * 1024, mostBytes = 256 * 1024 * 1024 } = options;
  await mkdir(path, { recursive: true, mode: 0o700 });
  const id = await idIn(path);
  const segments = await segmentsIn(path);
  let last = segments.at(-1) ?? { first: 0, count: 0, bytes: 0 };
  if (segments.length === 0) segments.push(last);
  let file: FileHandle = await open(join(path, nameOf(last.first)), 'a', 0o600);
  /** Lines of the oldest file that were taken already. */
  let done = segments[0]?.first ?? 0;
  const lanes = new Lanes();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => lanes.run('outbox', work);

  async function begin(): Promise<void> {
    const next: Segment = { first: last.first + last.count, count: 0, bytes: 0 };
    const opened = await open(join(path, nameOf(next.first)), 'a', 0o600);
    await file.close();
    file = opened;
    last = next;
    segments.push(next);
    let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    while (total > mostBytes && segments.length > 1) {
      const oldest = segments.shift();
      if (oldest === undefined) break;
      total -= oldest.bytes;
      options.onDropped?.(oldest.count);
      await rm(join(path, nameOf(oldest.first)), { force: true });
    }
  }

  return {
    id,
    add: (line) =>
      inTurn(async () => {
        const text = Buffer.from(`${line}\n`);
        if (last.bytes > 0 && last.bytes + text.length > segmentBytes) await begin();
        try {
          await file.appendFile(text);
        } catch (error) {
          // Or the next line would be the other half of this one.
          await file.truncate(last.bytes);
          throw error;
        }
        last.count += 1;
        last.bytes += text.length;
      }),
    peek: (most, mostLength = Number.POSITIVE_INFINITY) =>
      inTurn(async () => {
        const lines: string[] = [];
        let length = 0;
        const isFull = () => lines.length >= most || length >= mostLength;
        const first = Math.max(done, segments[0]?.first ?? 0);
        for (const segment of segments) {
          if (isFull() || segment.first + segment.count <= first) continue;
          let number = segment.first;
          for await (const line of linesOf(createReadStream(join(path, nameOf(segment.first))))) {
            if (number >= segment.first + segment.count || isFull()) break;
            if (number >= first) {
              lines.push(line);
              length += line.length;
            }
            number += 1;
          }
        }
        return { first, lines };
      }),
    taken: (next) =>
      inTurn(async () => {
        done = Math.max(done, next);
        while (segments.length > 1) {
          const [oldest] = segments;
          if (oldest === undefined || oldest.first + oldest.count > done) return;
          await rm(join(path, nameOf(oldest.first)), { force: true });
          segments.shift();
        }
        // What is left is empty of news: a new file, so that a restart has nothing to look through.
        if (last.count > 0 && last.first + last.count <= done) {
          const old = last;
          await begin();
          segments.shift();
          await rm(join(path, nameOf(old.first)), { force: true });
        }
      }),
    get end() {
      return last.first + last.count;
    },
    close: () => inTurn(() => file.close()),
  };
}

async function idIn(path: string): Promise<string> {
  const file = join(path, 'id');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const id = randomUUID();
    await writePrivateFile(file, `${id}\n`);
    return id;
  }
}

async function segmentsIn(path: string): Promise<Segment[]> {
  const found: Segment[] = [];
  for (const name of (await readdir(path)).sort()) {
    if (!name.endsWith('.jsonl')) continue;
    const whole = join(path, name);
    const text = await readFile(whole);
    // Half a line at the end was never acknowledged: whoever wrote it was told so, or ended with it.
    const end = text.lastIndexOf(0x0a) + 1;
    if (end < text.length) await cut(whole, end);
    let count = 0;
    for (let at = text.indexOf(0x0a); at >= 0; at = text.indexOf(0x0a, at + 1)) count += 1;
    found.push({ first: Number.parseInt(name, 10), count, bytes: (await stat(whole)).size });
  }
  return found;
}

async function cut(path: string, length: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.truncate(length);
  await file.close();
}
