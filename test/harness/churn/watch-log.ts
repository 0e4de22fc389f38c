import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';

/** An event as received on the wire. */
export interface WatchLogEntry {
  readonly type: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
}

interface Metadata {
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export function watchLogEntry(type: string, metadata: Metadata = {}): WatchLogEntry {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  return { type, name, uid, version: Number(resourceVersion) };
}

export interface WatchLogOptions {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  readonly from: number;
  /** The requested duration of one stream. Optional; defaults to the server's own limit. */
  readonly seconds?: number;
  /** Closes the connection after this many events. Optional; defaults to never. */
  readonly hangUpAfter?: number;
  /** The name of the object that is created last. */
  readonly last: string;
}

export class ExpiredError extends Error {}

/**
 * Records every event of a resource over plain HTTP, without a client library. After a stream ends, the log resumes
 * from the last version it has received. An event must be newer than all earlier events, which proves the order and
 * that no event is delivered twice.
 */
export class WatchLog {
  readonly entries: WatchLogEntry[] = [];
  streams = 0;
  readonly #options: WatchLogOptions;
  #reached: number;

  constructor(options: WatchLogOptions) {
    this.#options = options;
    this.#reached = options.from;
  }

  /**
   * Runs until the event of the last object arrives. Rejects with ExpiredError if the server no longer has the history
   * since the last version.
   */
  async run(): Promise<readonly WatchLogEntry[]> {
    while (this.entries.at(-1)?.name !== this.#options.last) await this.stream();
    return this.entries;
  }

  async stream(): Promise<void> {
    const { url, token, ca, seconds, hangUpAfter = Number.POSITIVE_INFINITY, last } = this.#options;
    this.streams++;
    const query = new URLSearchParams({ watch: '1', allowWatchBookmarks: 'true', resourceVersion: `${this.#reached}` });
    if (seconds !== undefined) query.set('timeoutSeconds', String(seconds));
    const dispatcher = new Agent({ connect: { ca }, bodyTimeout: 0 });
    try {
      const response = await request(`${url}?${query}`, { dispatcher, headers: { authorization: `Bearer ${token}` } });
      if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
      const lines = createInterface(response.body);
      // Closing the connection on purpose causes errors here, which are ignored.
      for (const each of [response.body, lines]) each.on('error', () => {});
      let events = 0;
      for await (const line of lines) {
        const { type, object } = JSON.parse(line);
        this.#take(type, object);
        events++;
        if (events >= hangUpAfter || object.metadata?.name === last) return;
      }
    } finally {
      await dispatcher.destroy();
    }
  }

  #take(type: string, object: { metadata?: Metadata; code?: number; message?: string }): void {
    if (type === 'ERROR') {
      if (object.code === 410) throw new ExpiredError(object.message);
      throw new Error(`ERROR ${object.code}: ${object.message}`);
    }
    const entry = watchLogEntry(type, object.metadata);
    const isNews = type === 'BOOKMARK' ? entry.version >= this.#reached : entry.version > this.#reached;
    if (!isNews) throw new Error(`${type} ${entry.name} at ${entry.version} came after ${this.#reached}`);
    if (type !== 'BOOKMARK') this.entries.push(entry);
    this.#reached = entry.version;
  }
}
