import { isJsonObject, type JsonObject, type JsonValue, parseTrustedJson, writeJson } from '@flotilla/json';
import { managementGroup, managementVersion } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { escapeControlCharacters } from '../../client/escape-controls.ts';
import { type HttpRequest, sendRequest } from '../../client/send-request.ts';
import { readLines } from '../../lib/read-lines.ts';
import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { httpsFetch } from './https-fetch.ts';
import { renewedKey, resolveAccess, type ServerAccess } from './resolve-access.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path on the server, for example `/auth/logout`. `managementPath` returns paths of the management API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly body?: JsonValue;
  /** The fields of a form, which is sent instead of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /** The media type of the body. Optional; defaults to JSON. */
  readonly type?: string;
  readonly signal?: AbortSignal;
}

/** Sends requests to the server. Every function rejects with StatusError if the response is an error. */
export interface ServerApi {
  readonly access: ServerAccess;
  /** Returns the path of a kind of the management API, or of an object or subresource of the kind. */
  managementPath(...segments: string[]): string;
  json(ask: ApiRequest): Promise<JsonObject>;
  text(ask: ApiRequest): Promise<string>;
  /** Streams the lines of a response. */
  lines(ask: ApiRequest): AsyncGenerator<string>;
  /** Streams the bytes of a response. */
  bytes(ask: ApiRequest): AsyncGenerator<Uint8Array>;
}

/** Calls `use` with a connection to the server that the command line selects, and closes the connection afterwards. */
export async function withServer<T>(
  call: Pick<CommandCall, 'environment' | 'values' | 'terminal'>,
  use: (api: ServerApi) => Promise<T>,
): Promise<T> {
  return await withServerConnection(await resolveAccess(call), call, use);
}

export async function withServerConnection<T>(
  access: ServerAccess,
  { environment, terminal }: Pick<CommandCall, 'environment' | 'terminal'>,
  use: (api: ServerApi) => Promise<T>,
): Promise<T> {
  const { fetch, close } = httpsFetch({
    url: access.url,
    authority: access.authority,
    environment,
    warn: (text) => terminal.printToStderr(`Warning: ${escapeControlCharacters(text)}\n`),
  });
  let token = access.accessKey === '' ? undefined : access.accessKey;
  const sendOnce = (ask: ApiRequest) =>
    sendRequest(
      { fetch, token: () => token },
      {
        method: ask.method ?? 'GET',
        url: `${access.url}${ask.path}${queryOf(ask.query)}`,
        ...(ask.accept === undefined ? {} : { accept: ask.accept }),
        ...bodyOf(ask),
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      },
    );
  const send = async (ask: ApiRequest) => {
    try {
      return await sendOnce(ask);
    } catch (error) {
      const isUnauthorized = error instanceof StatusError && error.code === 401;
      const renewed = isUnauthorized && token !== undefined ? await renewedKey(access, environment) : undefined;
      if (renewed === undefined || renewed === token) throw error;
      token = renewed;
      return await sendOnce(ask);
    }
  };
  const text = async (ask: ApiRequest) => await (await send(ask)).text();
  async function* bytes(ask: ApiRequest): AsyncGenerator<Uint8Array> {
    const { body } = await send(ask);
    if (body !== null) yield* body as AsyncIterable<Uint8Array>;
  }
  try {
    return await use({
      access,
      managementPath: (...segments) =>
        `/${access.apiPrefix}/management/apis/${managementGroup}/${managementVersion}/${segments.map(encodeURIComponent).join('/')}`,
      text,
      bytes,
      lines: (ask) => readLines(bytes(ask)),
      async json(ask) {
        const value = jsonIn(await text(ask));
        if (isJsonObject(value)) return value;
        throw new CliError(`${access.url} is not a Flotilla server`, { next: 'check the address' });
      },
    });
  } finally {
    close();
  }
}

function bodyOf({ body, form, type = 'application/json' }: ApiRequest): Pick<HttpRequest, 'body'> {
  if (form !== undefined)
    return { body: { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() } };
  return body === undefined ? {} : { body: { type, text: writeJson(body) } };
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return parseTrustedJson(text);
  } catch {
    return undefined;
  }
}

function queryOf(members: ApiRequest['query'] = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) pairs.append(name, value);
  return pairs.size === 0 ? '' : `?${pairs}`;
}
