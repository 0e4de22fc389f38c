import { consoleProtocol } from '../../../src/api/console-protocol.ts';
import { StatusError } from '../../../src/api/status.ts';
import { type ApiRoot, webSocketUrl } from '../../data/api-root.ts';
import { kinds, objectUrl } from '../../data/kind-ref.ts';
import { send } from '../../data/send.ts';
import { session } from '../../data/session/session.ts';
import { type ExecExit, execProtocols, inputFrame, readFrame, resizeFrame, type TerminalSize } from './exec-frames.ts';

export interface ExecTarget {
  readonly root: ApiRoot;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** True for a terminal, which has input. If false, the connection only receives output. */
  readonly tty: boolean;
}

/** The way in which a connection ended. */
export type ExecEnd =
  /** The command ended, or could not be run. */
  | { readonly type: 'exit'; readonly exit: ExecExit }
  /** The server refused the connection. */
  | { readonly type: 'refused'; readonly error: unknown }
  /** The connection broke. The command may still be running. */
  | { readonly type: 'lost'; readonly wasOpen: boolean };

export interface ExecHandlers {
  onOpen(): void;
  onOutput(bytes: Uint8Array, stream: 'stdout' | 'stderr'): void;
  /** Called once, when the connection has ended. */
  onEnd(end: ExecEnd): void;
}

/**
 * The interval in milliseconds at which the terminal size is sent again. The messages keep proxies from closing an idle
 * connection.
 */
const keepAliveMs = 25_000;

/**
 * The milliseconds for which the client waits, after the exit code, for the server to close the connection. The last
 * output can arrive after the exit code.
 */
const closeTimeoutMs = 1_000;

/** A command in a container, connected over a WebSocket. The session cookie authenticates the connection. */
export class ExecConnection {
  readonly #socket: WebSocket;
  readonly #handlers: ExecHandlers;
  readonly #url: string;
  #size: TerminalSize | undefined;
  #wasOpen = false;
  #isEnded = false;
  #exit: ExecExit | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(target: ExecTarget, handlers: ExecHandlers) {
    this.#handlers = handlers;
    this.#url = execUrl(target);
    this.#socket = new WebSocket(webSocketUrl(this.#url), [...execProtocols, consoleProtocol(session.login() ?? '')]);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onopen = () => this.#opened();
    this.#socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data !== 'string') this.#received(new Uint8Array(data));
    };
    this.#socket.onclose = () => void this.#closed();
  }

  /** Sends input. Drops the input if the connection is not open. */
  write(text: string): void {
    this.#send(inputFrame(text));
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#send(resizeFrame(size));
  }

  /** Closes the connection without calling `onEnd`. */
  close(): void {
    this.#isEnded = true;
    clearInterval(this.#keepAlive);
    this.#socket.close();
  }

  #send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  #opened(): void {
    this.#wasOpen = true;
    if (this.#size !== undefined) this.resize(this.#size);
    this.#keepAlive = setInterval(() => {
      if (this.#size !== undefined) this.resize(this.#size);
    }, keepAliveMs);
    this.#handlers.onOpen();
  }

  #received(message: Uint8Array): void {
    const read = readFrame(message);
    if (this.#isEnded) return;
    if (read.type === 'output') this.#handlers.onOutput(read.bytes, read.stream);
    else if (read.type === 'exit') {
      this.#exit = read.exit;
      setTimeout(() => void this.#closed(), closeTimeoutMs);
    }
  }

  async #closed(): Promise<void> {
    clearInterval(this.#keepAlive);
    if (this.#isEnded) return;
    const exit = this.#exit;
    const end: ExecEnd =
      exit !== undefined
        ? { type: 'exit', exit }
        : ((await refusalOf(this.#url)) ?? { type: 'lost', wasOpen: this.#wasOpen });
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#socket.close();
    this.#handlers.onEnd(end);
  }
}

function execUrl({ root, namespace, pod, container, command, tty }: ExecTarget): string {
  const query = new URLSearchParams({ container, stdout: 'true' });
  // With a terminal, stdout and stderr are one stream.
  for (const name of tty ? ['stdin', 'tty'] : ['stderr']) query.set(name, 'true');
  for (const word of command) query.append('command', word);
  return `${objectUrl(root, kinds.pod, { namespace, name: pod }, 'exec')}?${query}`;
}

/**
 * Returns the reason why the server refuses a WebSocket, because browsers do not report it to pages. Sends the request
 * again without an upgrade: the server then runs no command and responds with the reason. `undefined` if the server
 * would accept the WebSocket or cannot be reached.
 */
async function refusalOf(url: string): Promise<ExecEnd | undefined> {
  try {
    await send({ method: 'GET', url });
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError) || /upgrade/i.test(error.message)) return undefined;
    return error.code >= 500 && error.code !== 501 ? undefined : { type: 'refused', error };
  }
}
