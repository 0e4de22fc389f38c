import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type ApiCaller, apiRoot } from './api-caller.ts';

/** Many watches over a few HTTP/2 connections. */
export class WatchCrowd {
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #streams: ClientHttp2Stream[] = [];
  /** The number of received lines over all watches. */
  events = 0;
  /** The number of watches that the server has ended. */
  ended = 0;

  async open(caller: ApiCaller, path: string, { sessions, each }: { sessions: number; each: number }): Promise<void> {
    for (let count = 0; count < sessions; count++) {
      const session = connect(caller.url, { ca: caller.ca });
      this.#sessions.push(session);
      await once(session, 'connect');
      await Promise.all(Array.from({ length: each }, () => this.#watch(session, caller, path)));
    }
  }

  async #watch(session: ClientHttp2Session, caller: ApiCaller, path: string): Promise<void> {
    const stream = session.request({ ':path': `${apiRoot}${path}`, authorization: `Bearer ${caller.key}` });
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
