import type { JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../src/api/meta.ts';
import { pathNotFound } from '../../src/api/status.ts';
import { openControlPlane } from '../../src/controlplane/control-plane.ts';
import { readOnlyNamespaces } from '../../src/controlplane/core/namespaces/namespaces.ts';
import { authenticatedChain } from '../../src/http/chain.ts';
import { planeDocuments } from '../../src/http/documents/plane-documents.ts';
import { versionInfo } from '../../src/http/documents/version.ts';
import { passThrough } from '../../src/http/exchange.ts';
import { inFlightFilter } from '../../src/http/filters/in-flight.ts';
import { sourceLimitFilter } from '../../src/http/filters/source-limit.ts';
import { planeHandler } from '../../src/http/handlers/dispatch.ts';
import { protobufCodec } from '../../src/http/protobuf/envelope.ts';
import { router } from '../../src/http/router.ts';
import { listen } from '../../src/http/wire/listen.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { defineResource, type StoredResource } from '../../src/registry/resource.ts';
import { mountStoredKind } from '../../src/registry/verbs/stored-verbs.ts';
import { openTestStore } from '../../src/store/test-store.fixture.ts';
import { MemoryAuditLog, testCertificate } from '../harness/test-http-server.ts';
import type { SideOptions } from './side.ts';
import { gadget, gizmo, type SharedKind } from './workshop-kinds.ts';

const token = 'workshop-token';

export interface WorkshopServer extends SideOptions {
  stop(): Promise<void>;
}

/**
 * Starts a server with this server's own listener, filter chain, handlers and registry. It serves a plane with the test
 * kinds.
 */
export async function startWorkshopServer(): Promise<WorkshopServer> {
  const clock = systemClock;
  const log = silentLog;
  const store = openTestStore({ clock });
  const plane = await openControlPlane({
    id: 'workshop',
    store,
    clock,
    log: silentLog,
    resources: [readOnlyNamespaces, resourceOf(gadget), resourceOf(gizmo)],
    // Makes namespaces writable on this plane, because the tests create them with requests, as on kube-apiserver.
    // Normally the server itself creates them.
    mount: (stores) =>
      [...stores.values()].map((kind) => {
        return kind.resource.plural === 'namespaces'
          ? { ...mountStoredKind(kind), verbs: kind.verbs }
          : mountStoredKind(kind);
      }),
    authorize: () => ({ allowed: true, reason: '' }),
    mayRead: () => undefined,
    onMaintenanceWork: () => undefined,
  });
  const documents = planeDocuments(plane, { version: versionInfo({ packageVersion: '0.0.0' }), healthChecks: [] });
  const session = new AbortController();
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  const handler = authenticatedChain(
    {
      clock,
      log,
      depth: 1,
      auditLog: new MemoryAuditLog(),
      authenticate: (sent) => (sent === token ? { user, system: false, signal: session.signal } : undefined),
      sourceLimit: sourceLimitFilter({ clock }),
      keyRate: passThrough,
      watchLimit: passThrough,
      inFlight: inFlightFilter({ clock }),
      authorize: plane.authorize,
    },
    planeHandler({
      plane,
      log,
      now: () => clock.now(),
      protobuf: protobufCodec,
      async nonResource(exchange) {
        const reply = await documents.reply(exchange);
        if (reply === undefined) throw pathNotFound();
        return reply;
      },
    }),
  );
  const certificate = await testCertificate();
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    log,
    tls: certificate,
    handler: router({ clock, log, mounts: [{ prefix: '/root', handler }] }),
  });
  return {
    url: `https://127.0.0.1:${listener.port}/root`,
    token,
    ca: certificate.cert,
    async stop() {
      session.abort();
      await listener.drain(2000);
      plane.close();
      await store.close();
    },
  };
}

function resourceOf({ columns, ...kind }: SharedKind): StoredResource {
  if (columns === undefined) return defineResource(kind);
  return defineResource({
    ...kind,
    columns: columns.map(({ path, ...column }) => ({ ...column, value: (object) => valueAt(object, path) })),
  });
}

function valueAt(object: KubeObject, path: string): JsonValue | undefined {
  let value: unknown = object;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value as JsonValue | undefined;
}
