import { isJsonObject, listAt, parseTrustedJson, textAt } from '@flotilla/json';

/** The WebSocket subprotocols of exec, the preferred one first. */
export const execProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The first byte of each message names its channel. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** A message from the container. */
export type ExecMessage =
  | { readonly type: 'output'; readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | { readonly type: 'exit'; readonly exit: ExecExit }
  | { readonly type: 'unknown' };

/** The result of a command. `code` is `undefined` if the command could not be run. */
export interface ExecExit {
  readonly code: number | undefined;
  /**
   * The reason why the command could not be run, or the server's message about the exit code; '' if the command
   * succeeded.
   */
  readonly message: string;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export function inputFrame(text: string): Uint8Array<ArrayBuffer> {
  return frame(channels.stdin, new TextEncoder().encode(text));
}

export function resizeFrame({ columns, rows }: TerminalSize): Uint8Array<ArrayBuffer> {
  return frame(channels.resize, new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })));
}

function frame(channel: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

export function readFrame(message: Uint8Array): ExecMessage {
  const bytes = message.subarray(1);
  switch (message[0]) {
    case channels.stdout:
      return { type: 'output', stream: 'stdout', bytes };
    case channels.stderr:
      return { type: 'output', stream: 'stderr', bytes };
    case channels.error:
      return { type: 'exit', exit: readExit(new TextDecoder().decode(bytes)) };
    default:
      return { type: 'unknown' };
  }
}

/** Reads the Status object that ends a command. */
function readExit(text: string): ExecExit {
  try {
    const status = parseTrustedJson(text);
    if (!isJsonObject(status)) return { code: undefined, message: text };
    if (textAt(status, 'status') === 'Success') return { code: 0, message: '' };
    const cause = listAt(status, 'details', 'causes').find((each) => textAt(each, 'reason') === 'ExitCode');
    const code = textAt(cause, 'message');
    const isExit = textAt(status, 'reason') === 'NonZeroExitCode' && /^\d+$/.test(code);
    return { code: isExit ? Number(code) : undefined, message: textAt(status, 'message') };
  } catch {
    // Proxies and old servers may send plain text instead of a Status.
    return { code: undefined, message: text };
  }
}
