import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import { readLines } from '../../lib/read-lines.ts';
import type { Sealer } from '../../seal/sealer.ts';

/** A policy line from the control server, and the time at which it arrived, by the agent's clock. */
export interface StoredPolicyLine {
  readonly line: PolicyLine;
  readonly at: number;
}

export interface PolicyFileOptions {
  readonly path: string;
  readonly sealer: Sealer;
}

/** The file with the cached policy, from which an agent can start if the control server is unavailable. */
export interface PolicyFile {
  /**
   * Returns the stored lines in order. Ignores a partially written last row. Throws if the file is damaged in any other
   * way.
   */
  read(): AsyncIterable<StoredPolicyLine>;
  /** Resolves after the lines have been flushed to disk. */
  append(lines: readonly StoredPolicyLine[]): Promise<void>;
  /** Replaces the whole file atomically. */
  replace(lines: Iterable<StoredPolicyLine>): Promise<void>;
  /** The number of lines appended after the last `replace`. */
  readonly appended: number;
  close(): Promise<void>;
}

const purpose = 'agent-policy';
/**
 * The number of lines that are sealed together. Sealing each line separately would more than double the size of the
 * file.
 */
const linesPerSeal = 500;

/** Opens the policy file. Each row is a sealed batch of lines, so the disk does not reveal who has access. */
export async function openPolicyFile({ path, sealer }: PolicyFileOptions): Promise<PolicyFile> {
  let file: FileHandle = await open(path, 'a', 0o600);
  let appended = 0;
  const lanes = new KeyedSerializer();
  const serialized = <T>(work: () => Promise<T>): Promise<T> => lanes.run('file', work);

  return {
    async *read() {
      let torn = false;
      for await (const row of readLines(createReadStream(path))) {
        if (torn) throw new Error(`${path} is damaged`);
        let clear: string;
        try {
          clear = sealer.open(purpose, row);
        } catch {
          // The process ended while it wrote this row, so this must be the last row. Another row after it means that
          // the file is damaged.
          torn = true;
          continue;
        }
        yield* JSON.parse(clear) as StoredPolicyLine[];
      }
    },
    append: (lines) =>
      serialized(async () => {
        if (lines.length === 0) return;
        await file.appendFile(`${rowsOf(lines, sealer).join('\n')}\n`);
        await file.datasync();
        appended += lines.length;
      }),
    replace: (lines) =>
      serialized(async () => {
        const fresh = `${path}.new`;
        const next = await open(fresh, 'w', 0o600);
        try {
          for (const row of rowsOf(lines, sealer)) await next.appendFile(`${row}\n`);
          await next.datasync();
        } catch (error) {
          await next.close();
          throw error;
        }
        await rename(fresh, path);
        const previous = file;
        file = next;
        appended = 0;
        await previous.close();
      }),
    get appended() {
      return appended;
    },
    close: () => serialized(() => file.close()),
  };
}

function rowsOf(lines: Iterable<StoredPolicyLine>, sealer: Sealer): string[] {
  const rows: string[] = [];
  let batch: StoredPolicyLine[] = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < linesPerSeal) continue;
    rows.push(sealer.seal(purpose, JSON.stringify(batch)));
    batch = [];
  }
  if (batch.length > 0) rows.push(sealer.seal(purpose, JSON.stringify(batch)));
  return rows;
}
