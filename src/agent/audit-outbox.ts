import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, writePrivateFile } from '../lib/private-file.ts';
import { KeyedSerializer } from '../lib/queue/keyed-serializer.ts';
import { readLines } from '../lib/read-lines.ts';

export interface AuditOutboxOptions {
  readonly path: string;
  /**
   * The size at which the outbox starts a new file. A file is removed only as a whole, when all its lines are
   * acknowledged.
   */
  readonly segmentBytes?: number;
  /**
   * The maximum size of the whole outbox. If it is exceeded, the oldest file is deleted even if its lines were not
   * uploaded. The lines remain in the agent's audit log.
   */
  readonly maxBytes?: number;
  onDropped?(lines: number): void;
}

/** A durable queue of audit lines for the control server. The lines are numbered without gaps. */
export interface AuditOutbox {
  /** The unique ID of this outbox. Line numbers are meaningful only together with this ID. */
  readonly id: string;
  /** Resolves after the line has been written to the operating system. */
  add(line: string): Promise<void>;
  /**
   * Returns the oldest lines and the number of the first one. Returns at most `maxLines` lines and stops after about
   * `maxLength` characters.
   */
  peek(maxLines: number, maxLength?: number): Promise<{ readonly first: number; readonly lines: readonly string[] }>;
  /** Removes all lines with a number lower than `next`, because the control server has stored them. */
  acknowledge(next: number): Promise<void>;
  /** The number that the next added line will get. */
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
  const { path, segmentBytes = 1024 * 1024, maxBytes = 256 * 1024 * 1024 } = options;
  await mkdir(path, { recursive: true, mode: 0o700 });
  const id = await idIn(path);
  const segments = await segmentsIn(path);
  let last = segments.at(-1) ?? { first: 0, count: 0, bytes: 0 };
  if (segments.length === 0) segments.push(last);
  let file: FileHandle = await open(join(path, nameOf(last.first)), 'a', 0o600);
  /** The number of the first line that is not acknowledged yet. */
  let acknowledged = segments[0]?.first ?? 0;
  const lanes = new KeyedSerializer();
  const serialized = <T>(work: () => Promise<T>): Promise<T> => lanes.run('outbox', work);

  async function startSegment(): Promise<void> {
    const next: Segment = { first: last.first + last.count, count: 0, bytes: 0 };
    const opened = await open(join(path, nameOf(next.first)), 'a', 0o600);
    await file.close();
    file = opened;
    last = next;
    segments.push(next);
    let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    while (total > maxBytes && segments.length > 1) {
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
      serialized(async () => {
        const text = Buffer.from(`${line}\n`);
        if (last.bytes > 0 && last.bytes + text.length > segmentBytes) await startSegment();
        try {
          await file.appendFile(text);
        } catch (error) {
          // Remove the partially written line, so that the next line does not continue it.
          await file.truncate(last.bytes);
          throw error;
        }
        last.count += 1;
        last.bytes += text.length;
      }),
    peek: (maxLines, maxLength = Number.POSITIVE_INFINITY) =>
      serialized(async () => {
        const first = Math.max(acknowledged, segments[0]?.first ?? 0);
        return { first, lines: await linesFrom(first, path, segments, { maxLines, maxLength }) };
      }),
    acknowledge: (next) =>
      serialized(async () => {
        acknowledged = Math.max(acknowledged, next);
        while (segments.length > 1) {
          const [oldest] = segments;
          if (oldest === undefined || oldest.first + oldest.count > acknowledged) return;
          await rm(join(path, nameOf(oldest.first)), { force: true });
          segments.shift();
        }
        // All lines are acknowledged. Start a new file, so that the agent does not have to read old lines at its next
        // start.
        if (last.count > 0 && last.first + last.count <= acknowledged) {
          const old = last;
          await startSegment();
          segments.shift();
          await rm(join(path, nameOf(old.first)), { force: true });
        }
      }),
    get end() {
      return last.first + last.count;
    },
    close: () => serialized(() => file.close()),
  };
}

/** Reads the lines from number `first` on. */
async function linesFrom(
  first: number,
  path: string,
  segments: readonly Readonly<Segment>[],
  { maxLines, maxLength }: { readonly maxLines: number; readonly maxLength: number },
): Promise<string[]> {
  const lines: string[] = [];
  let length = 0;
  const isFull = () => lines.length >= maxLines || length >= maxLength;
  for (const segment of segments) {
    if (isFull() || segment.first + segment.count <= first) continue;
    let number = segment.first;
    for await (const line of readLines(createReadStream(join(path, nameOf(segment.first))))) {
      if (number >= segment.first + segment.count || isFull()) break;
      if (number >= first) {
        lines.push(line);
        length += line.length;
      }
      number += 1;
    }
  }
  return lines;
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
    // Drop an incomplete last line. Its write was reported as failed, or the process ended during the write, so no
    // caller relies on it.
    const end = text.lastIndexOf(0x0a) + 1;
    if (end < text.length) await truncate(whole, end);
    let count = 0;
    for (let at = text.indexOf(0x0a); at >= 0; at = text.indexOf(0x0a, at + 1)) count += 1;
    found.push({ first: Number.parseInt(name, 10), count, bytes: (await stat(whole)).size });
  }
  return found;
}

async function truncate(path: string, length: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.truncate(length);
  await file.close();
}
