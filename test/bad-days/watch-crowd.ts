import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type ApiCaller, apiRoot } from './api-caller.ts';

type Watcher = Pick<ApiCaller, 'url' | 'ca' | 'key'>;

interface CrowdOptions {
  readonly sessions: number;
  /** The number of watches of each session. */
  readonly each: number;
  readonly root?: string;
}

/** Many watches over a few HTTP/2 connections. */
export class WatchCrowd {
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #streams: ClientHttp2Stream[] = [];
  /** The number of received lines over all watches. */
  events = 0;
  /** The number of watches that the server has ended. */
  ended = 0;

  /** Opens watches of `path`, which is below `root`: by default the root of the management API. */
  async open(caller: Watcher, path: string, { sessions, each, root = apiRoot }: CrowdOptions): Promise<void> {
    for (let count = 0; count < sessions; count++) {
      await this.openEach(caller, Array<string>(each).fill(path), { root });
    }
  }

  /** Opens one watch for each path, all over one connection. */
  async openEach(caller: Watcher, paths: readonly string[], { root = apiRoot } = {}): Promise<void> {
    const session = connect(caller.url, { ca: caller.ca });
    this.#sessions.push(session);
    await once(session, 'connect');
    await Promise.all(paths.map((path) => this.#watch(session, caller, `${root}${path}`)));
  }

  async #watch(session: ClientHttp2Session, caller: Watcher, path: string): Promise<void> {
    const stream = session.request({ ':path': path, authorization: `Bearer ${caller.key}` });
    this.#streams.push(stream);
    const [headers] = await once(stream, 'response');
    if (headers[':status'] !== 200) throw new Error(`the watch was answered with ${headers[':status']}`);
    stream.on('data', (bytes: Buffer) => {
      this.events += bytes.toString().split('\n').length - 1;
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      this.ended++;
    });
  }

  get size(): number {
    return this.#streams.length;
  }

  /** Cancels all watches and closes the connections. */
  close(): void {
    for (const stream of this.#streams) stream.close(constants.NGHTTP2_CANCEL);
    for (const session of this.#sessions) session.close();
  }
}
