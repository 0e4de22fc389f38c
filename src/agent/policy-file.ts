import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import type { PolicyLine } from '../api/agent/policy-feed.ts';
import { Lanes } from '../lib/lanes.ts';
import { linesOf } from '../lib/lines.ts';
import type { Sealer } from '../seal/sealer.ts';

/** A line that was told, and when that was, by the agent's own clock. */
export interface KeptLine {
  readonly line: PolicyLine;
  readonly at: number;
}

export interface PolicyFileOptions {
  readonly path: string;
  readonly sealer: Sealer;
}

/** What an agent was told, on disk, so that it knows it still when it starts while the centre is down. */
export interface PolicyFile {
  /** What was kept, in order. A torn end is the end; what was touched is an error. */
  read(): AsyncIterable<KeptLine>;
  /** Resolves when they are durable. */
  append(lines: readonly KeptLine[]): Promise<void>;
  /** These are all there is: whatever was kept before is forgotten, at once or not at all. */
  replace(lines: Iterable<KeptLine>): Promise<void>;
  /** How many lines were added since everything was last replaced. */
  readonly appended: number;
  close(): Promise<void>;
}

const purpose = 'agent-policy';
/** Sealed together: a seal for each line would cost more than the line. */
const linesPerSeal = 500;

/** Every row of the file is a few lines, sealed; nobody who reads the disk learns who may come. */
export async function openPolicyFile({ path, sealer }: PolicyFileOptions): Promise<PolicyFile> {
  let file: FileHandle = await open(path, 'a', 0o600);
  let appended = 0;
  const lanes = new Lanes();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => lanes.run('file', work);

  return {
    async *read() {
      let torn = false;
      for await (const row of linesOf(createReadStream(path))) {
        if (torn) throw new Error(`${path} is damaged: what it says cannot be trusted`);
        let clear: string;
        try {
          clear = sealer.open(purpose, row);
        } catch {
          // The last row may be half of one: the process ended while it wrote.
          torn = true;
          continue;
        }
        yield* JSON.parse(clear) as KeptLine[];
      }
    },
    append: (lines) =>
      inTurn(async () => {
        if (lines.length === 0) return;
        await file.appendFile(`${rowsOf(lines, sealer).join('\n')}\n`);
        await file.datasync();
        appended += lines.length;
      }),
    replace: (lines) =>
      inTurn(async () => {
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
        const before = file;
        file = next;
        appended = 0;
        await before.close();
      }),
    get appended() {
      return appended;
    },
    close: () => inTurn(() => file.close()),
  };
}

function rowsOf(lines: Iterable<KeptLine>, sealer: Sealer): string[] {
  const rows: string[] = [];
  let some: KeptLine[] = [];
  for (const line of lines) {
    some.push(line);
    if (some.length < linesPerSeal) continue;
    rows.push(sealer.seal(purpose, JSON.stringify(some)));
    some = [];
  }
  if (some.length > 0) rows.push(sealer.seal(purpose, JSON.stringify(some)));
  return rows;
}
