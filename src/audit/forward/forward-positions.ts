import { readFile } from 'node:fs/promises';
import { isJsonObject, numberAt, textAt } from '@flotilla/json';
import type { ChainHead } from '../../api/audit/audit-chain.ts';
import { errorCode, writePrivateFile } from '../../lib/private-file.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';

/** The last line that each target has received, in a file of this replica. */
export class ForwardPositions {
  readonly #path: string;
  readonly #positions: Map<string, ChainHead>;
  readonly #lanes = new KeyedSerializer();

  private constructor(path: string, positions: Map<string, ChainHead>) {
    this.#path = path;
    this.#positions = positions;
  }

  /** Reads the file. A damaged file counts as empty, so all lines are sent again. */
  static async open(path: string): Promise<ForwardPositions> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return '{}';
      throw error;
    });
    return new ForwardPositions(path, parsePositions(text));
  }

  get(target: string): ChainHead | undefined {
    return this.#positions.get(target);
  }

  /** Stores the position of a target durably. */
  async set(target: string, position: ChainHead): Promise<void> {
    this.#positions.set(target, position);
    await this.#lanes.run('file', () =>
      writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(this.#positions))}\n`),
    );
  }

  /** Removes the positions of targets that are no longer in the settings. */
  keepOnly(targets: readonly string[]): void {
    for (const name of this.#positions.keys()) if (!targets.includes(name)) this.#positions.delete(name);
  }
}

function parsePositions(text: string): Map<string, ChainHead> {
  try {
    const parsed: unknown = JSON.parse(text);
    const entries = Object.entries(isJsonObject(parsed) ? parsed : {});
    return new Map(
      entries.map(([name, value]) => [name, { seq: numberAt(value, 'seq') ?? 0, hash: textAt(value, 'hash') }]),
    );
  } catch {
    return new Map();
  }
}
