import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { PolicyLine } from '../../api/agent/policy-feed.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import { readLines } from '../../lib/read-lines.ts';
import type { Sealer } from '../../seal/sealer.ts';

/** A line of the policy feed with the time at which it arrived, by the agent's clock. */
export interface StoredPolicyLine {
  readonly line: PolicyLine;
  readonly at: number;
}

export interface PolicyFileOptions {
  readonly path: string;
  readonly sealer: Sealer;
}

/** The policy on disk, so that an agent can start while the control server is unavailable. */
export interface PolicyFile {
  /** The stored lines, in order. A torn last row is ignored; any other damage is an error. */
  read(): AsyncIterable<StoredPolicyLine>;
  /** Resolves when the lines are durable. */
  append(lines: readonly StoredPolicyLine[]): Promise<void>;
  /** Replaces the contents atomically. */
  replace(lines: Iterable<StoredPolicyLine>): Promise<void>;
  /** Number of lines appended since the last replace. */
  readonly appended: number;
  close(): Promise<void>;
}

const purpose = 'agent-policy';
/** Lines are sealed in batches: a seal per line would be larger than the line. */
const linesPerSeal = 500;

/** Opens the policy file. Every row is a batch of sealed lines, so the disk does not reveal who has access. */
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
          // The last row may be partial: the process ended during the write.
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
