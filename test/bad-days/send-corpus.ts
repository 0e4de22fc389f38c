import type { ApiCaller } from './api-caller.ts';
import type { BadRequest } from './corpus/bad-request.ts';
import { type RawAnswer, RawConnection } from './raw-connection.ts';

export interface Sent {
  readonly request: BadRequest;
  readonly answer: RawAnswer;
  readonly milliseconds: number;
}

/** Sends the requests over a few connections and reports each result. */
export async function sendAll(
  caller: ApiCaller,
  requests: Iterable<BadRequest>,
  connections: number,
  onResult: (sent: Sent) => void,
): Promise<void> {
  const rest = requests[Symbol.iterator]();
  const work = async () => {
    const connection = new RawConnection(caller);
    for (let next = rest.next(); next.done !== true; next = rest.next())
      onResult(await sendOne(caller, connection, next.value));
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** The median latency of this request when it is sent alone. */
export async function timeAlone(caller: ApiCaller, request: BadRequest, times: number): Promise<number> {
  const connection = new RawConnection(caller);
  const all: number[] = [];
  for (let time = 0; time < times; time++) all.push((await sendOne(caller, connection, request)).milliseconds);
  connection.close();
  return all.sort((a, b) => a - b)[times >> 1] ?? 0;
}

async function sendOne(caller: ApiCaller, connection: RawConnection, request: BadRequest): Promise<Sent> {
  const bytes = request.raw ?? bytesOf(caller, request);
  const started = performance.now();
  const options = { method: request.method, halfway: request.halfway === true };
  const answer = await connection.send(bytes, options).catch((error: unknown) => {
    throw new Error(`${describeRequest(request)}: ${error}`);
  });
  return { request, answer, milliseconds: performance.now() - started };
}

function bytesOf(caller: ApiCaller, { method, target, headers, body }: BadRequest): Buffer {
  const own = Object.keys(headers).map((name) => name.toLowerCase());
  const usual = {
    Host: new URL(caller.url).host,
    Authorization: `Bearer ${caller.key}`,
    ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
  };
  const lines = [
    ...Object.entries(usual).filter(([name]) => !own.includes(name.toLowerCase())),
    ...Object.entries(headers),
  ];
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

export function describeRequest({ family, method, target, headers, body, raw }: BadRequest): string {
  const sent = (raw ?? body)?.toString('latin1').slice(0, 300) ?? '';
  return `[${family}] ${method} ${target.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)} ${JSON.stringify(sent)}`;
}
