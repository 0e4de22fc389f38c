import type { Clock } from '../../../src/lib/clock.ts';
import { LogBuffer, type LogChunk } from '../../components/log/log-buffer.ts';
import { displayedText } from '../../components/log/log-lines.ts';
import type { ExecTarget } from '../../components/terminal/exec-connection.ts';

/** One command and its output. */
export interface TranscriptEntry {
  readonly id: number;
  readonly line: string;
  readonly namespace: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly chunks: readonly LogChunk[];
  readonly dropped: number;
  /** The container of the terminal that the command opened. `undefined` if it opened none. */
  readonly terminal: ExecTarget | undefined;
}

const limits = { maxLines: 5_000, maxCharacters: 4 * 1024 * 1024 };
const maxEntries = 60;
/** The maximum number of lines in all entries together. If there are more, the oldest entries are dropped. */
const maxLines = 20_000;
const updateIntervalMs = 60;

interface Entry extends Omit<TranscriptEntry, 'chunks' | 'dropped'> {
  readonly buffer: LogBuffer;
}

/** The commands of the page and their output, with a bounded amount of memory. */
export class Transcript {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #entries: readonly Entry[] = [];
  #snapshot: readonly TranscriptEntry[] = [];
  #nextId = 0;
  #isUpdateScheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly get = (): readonly TranscriptEntry[] => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  begin(line: string, namespace: string): number {
    const id = this.#nextId++;
    const buffer = new LogBuffer(limits);
    const entry: Entry = { id, line, namespace, state: 'running', terminal: undefined, buffer };
    this.#entries = [...this.#entries, entry].slice(-maxEntries);
    this.#show();
    return id;
  }

  print(id: number, text: string): void {
    const entry = this.#entries.find((each) => each.id === id);
    // Escapes control characters, because printed texts come from objects and clusters and can contain any character.
    const lines = text.split('\n').map((line) => ({ time: '', text: displayedText(line) }));
    entry?.buffer.append(lines);
    let count = 0;
    const kept = this.#entries.toReversed().filter(({ buffer }, index) => {
      count += buffer.lineCount;
      return index === 0 || count <= maxLines;
    });
    this.#entries = kept.reverse();
    this.#show();
  }

  change(id: number, members: Partial<Pick<TranscriptEntry, 'state' | 'terminal'>>): void {
    this.#entries = this.#entries.map((entry) => (entry.id === id ? { ...entry, ...members } : entry));
    this.#show();
  }

  clear(): void {
    this.#entries = this.#entries.filter(({ state }) => state === 'running');
    for (const { buffer } of this.#entries) buffer.clear();
    this.#show();
  }

  #show(): void {
    if (this.#isUpdateScheduled) return;
    this.#isUpdateScheduled = true;
    this.#clock.after(updateIntervalMs, () => {
      this.#isUpdateScheduled = false;
      this.#snapshot = this.#entries.map(({ buffer, ...entry }) => ({
        ...entry,
        chunks: buffer.chunks,
        dropped: buffer.dropped,
      }));
      for (const listener of this.#listeners) listener();
    });
  }
}
