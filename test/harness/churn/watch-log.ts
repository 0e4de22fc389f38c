import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';

/** An event as it came over the wire. */
export interface Entry {
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

export function entryOf(type: string, metadata: Metadata = {}): Entry {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  return { type, name, uid, version: Number(resourceVersion) };
}

export interface WatchLogOptions {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
  readonly from: number;
  /** How long the server is asked to keep one stream open; absent: as long as it likes. */
  readonly seconds?: number;
  /** After how many events the log hangs up by itself, connection and all; absent: never. */
  readonly hangUpAfter?: number;
  /** The name of the object that is the last to be made. */
  readonly last: string;
}

export class Expired extends Error {}

/**
 * Writes down every event of a resource, by plain HTTP: no client's code stands between the server and it. After each
 * end of the stream it goes on from the last version that it has seen. What is not newer than everything before it is
 * an error: that proves the order, and that nothing comes twice.
 */
export class WatchLog {
  readonly entries: Entry[] = [];
  streams = 0;
  readonly #options: WatchLogOptions;
  #reached: number;

  constructor(options: WatchLogOptions) {
    this.#options = options;
    this.#reached = options.from;
  }

  /** Goes on until the last object has come by. Rejects with Expired where the server has forgotten the version. */
  async run(): Promise<readonly Entry[]> {
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
      // Hanging up is no error to anybody here.
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
      if (object.code === 410) throw new Expired(object.message);
      throw new Error(`ERROR ${object.code}: ${object.message}`);
    }
    const entry = entryOf(type, object.metadata);
    const isNews = type === 'BOOKMARK' ? entry.version >= this.#reached : entry.version > this.#reached;
    if (!isNews) throw new Error(`${type} ${entry.name} at ${entry.version} came after ${this.#reached}`);
    if (type !== 'BOOKMARK') this.entries.push(entry);
    this.#reached = entry.version;
  }
}
