import { createPlaneComposer } from '../../src/builtin/compose-plane.ts';
import { createPlaneHandlers } from '../../src/builtin/plane-server.ts';
import { openKubernetesPlane } from '../../src/controlplane/kubernetes-plane.ts';
import { versionInfo } from '../../src/http/documents/version.ts';
import { errorReply } from '../../src/http/error-reply.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { hasDeferredBody, hasGeneratedBody, type Reply } from '../../src/http/reply.ts';
import { defaultBodyLimit } from '../../src/http/wire/read-body.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { exchangeFor } from '../harness/exchange.ts';

/** A request to the plane. `body` is empty for a request without a body. */
export interface PlaneRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly accept?: string;
  /** The name of the caller. Optional; defaults to an administrator. */
  readonly user?: string;
}

export interface PlaneResponse {
  readonly status: number;
  readonly text: string;
}

/** A Kubernetes plane with all its parts, in memory. Requests pass through the handlers without a socket. */
export interface PlaneUnderTest {
  send(request: PlaneRequest): Promise<PlaneResponse>;
  close(): void;
}

export async function openPlaneUnderTest(): Promise<PlaneUnderTest> {
  const [clock, log] = [systemClock, silentLog];
  const store = openMemoryStore({ clock });
  const composer = createPlaneComposer({
    clock,
    log,
    sealing: { seal: (_purpose, clear) => clear, open: (_purpose, sealed) => sealed },
    tokens: {
      installation: 'test',
      sign: () => Promise.reject(new Error('no tokens')),
      verify: async () => undefined,
      publicKeys: async () => ({ keys: [] }),
    },
    longestTokenSeconds: 3600,
    webhookAddresses: [],
  });
  const plane = await openKubernetesPlane({
    id: 'plane',
    store,
    clock,
    log,
    compose: (dependencies) => composer.compose(dependencies),
    onMaintenanceWork() {},
  });
  const version = versionInfo({ packageVersion: '0' });
  const handlersOf = createPlaneHandlers({ clock, log, version, healthChecks: [], bodyBytes: defaultBodyLimit });
  const handler = handlersOf(plane);
  const reply = async (exchange: Exchange): Promise<Reply> => {
    try {
      return await handler(exchange);
    } catch (error) {
      return errorReply(exchange.request, error, log);
    }
  };
  return {
    async send(request) {
      const exchange = exchangeOf(request);
      const answer = await reply(exchange);
      return { status: answer.status, text: textOf(answer) };
    },
    close: () => plane.close(),
  };
}

function exchangeOf({ method, path, type, body, accept, user }: PlaneRequest): Exchange {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const exchange = exchangeFor({
    method,
    url: path,
    headers: {
      'content-type': type,
      'content-length': String(bytes.length),
      ...(accept === undefined ? {} : { accept }),
    },
    body: {
      takeBuffered: () => bytes,
      async *[Symbol.asyncIterator]() {
        yield bytes;
      },
    },
  });
  exchange.identity = {
    user: {
      name: user ?? 'admin',
      groups: user === undefined ? ['system:masters', 'system:authenticated'] : ['system:authenticated'],
    },
    system: false,
    signal: new AbortController().signal,
  };
  return exchange;
}

function textOf(answer: Reply): string {
  const { body } = answer;
  if (hasGeneratedBody(answer) && Symbol.iterator in answer.body.chunks) {
    const decoder = new TextDecoder();
    let text = '';
    for (const chunk of answer.body.chunks) text += decoder.decode(chunk, { stream: true });
    return text;
  }
  if (hasDeferredBody(answer)) throw new Error('the response is a stream, but the request was not a watch');
  return typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array | undefined);
}
