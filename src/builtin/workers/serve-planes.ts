import type { MessagePort } from 'node:worker_threads';
import { StatusError, serviceUnavailable, unauthorized } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import { MessageLink } from '../../lib/link/message-link.ts';
import type { OpenedPlane, PlaneRunner } from '../plane-runner.ts';
import { CredentialSignals } from './credential-signals.ts';
import { ForwardedRequests } from './forwarded-requests.ts';
import { decodeError, planeErrors } from './plane-errors.ts';
import type { CallId, ForwardedIdentity, PlaneFrontMethods, PlaneWorkerMethods } from './plane-messages.ts';

/** The planes of this worker. */
export interface WorkerPlanes extends PlaneRunner {
  /** Closes a plane and waits for its last write. */
  evict(id: string): Promise<void>;
  /** Sets the shards whose planes stay in memory (`Fleet.preferShards`). */
  preferShards(shards: readonly string[]): void;
}

export interface ServePlanesOptions {
  readonly port: MessagePort;
  readonly clock: Clock;
  /** Opens the planes. `front` calls the main thread. */
  openPlanes(front: PlaneFront): WorkerPlanes;
  /** Called with the ID of a plane before each piece of work for that plane. */
  onWork(planeId: string): void;
}

export type PlaneFront = Pick<MessageLink<PlaneWorkerMethods, PlaneFrontMethods>, 'call' | 'send'>;

/** Serves the planes of this worker to the main thread. */
export function servePlanes(options: ServePlanesOptions): void {
  const { port, clock, onWork } = options;
  const credentials = new CredentialSignals();
  const link = new MessageLink<PlaneWorkerMethods, PlaneFrontMethods>({
    port,
    errors: planeErrors,
    methods: {
      serve: async (request) => await requests.serve(request, identityOf(request)),
      cancel: ({ id, reason }) => requests.cancel(id, reason && decodeError(reason)),
      acknowledge: ({ id, bytes }) => requests.acknowledge(id, bytes),
      authorize: ({ attributes, ...call }) =>
        withPlane(call.planeId, async ({ target }) => {
          await target.freshRevision?.();
          return await target.authorize(identityOf(call), attributes);
        }),
      authenticate: ({ planeId, token }) =>
        withPlane(planeId, async ({ target }) => {
          const identity = await target.authenticate(token);
          return identity && forwardedIdentity(identity, credentials);
        }),
      runTask({ planeId, task, fence }) {
        onWork(planeId);
        return planes.runTask(planeId, task, fence);
      },
      probe: (planeId) => withPlane(planeId, async () => {}),
      evict: (planeId) => planes.evict(planeId),
      preferShards: (shards) => planes.preferShards(shards),
      takeUsage: () => planes.takeUsage(),
    },
  });
  const requests = new ForwardedRequests({
    clock,
    onWork,
    openPlane,
    readBody: (id) => link.call('readBody', id),
    sendStreams: (parts) => link.send('streamed', parts),
  });
  const planes = options.openPlanes(link);

  async function openPlane(planeId: string): Promise<OpenedPlane> {
    onWork(planeId);
    const opened = await planes.open(planeId);
    if (opened === undefined) throw serviceUnavailable('the control plane of the virtual cluster was removed');
    onWork(planeId);
    return opened;
  }

  async function withPlane<T>(planeId: string, work: (opened: OpenedPlane) => Promise<T>): Promise<T> {
    const opened = await openPlane(planeId);
    return await work(opened).finally(opened.release);
  }

  function identityOf({ id, planeId, identity }: CallOfIdentity): Identity {
    const preauthorize: Identity['preauthorize'] = async (attributes) => {
      const decision = await link.call('preauthorize', { id, attributes });
      onWork(planeId);
      return decision;
    };
    const { user, responsible, accessKey, fairQueueKey, system, mustPreauthorize, credential } = identity;
    const signal = credential === undefined ? never : credentials.find(credential);
    // The signal is missing if, after the token was authenticated, the worker was replaced or the plane was unloaded.
    if (signal === undefined || (signal.aborted && !(signal.reason instanceof StatusError)))
      throw serviceUnavailable('the control plane restarted while the request was being authenticated; try again', 1);
    if (signal.aborted) throw unauthorized();
    return {
      user,
      ...(responsible === undefined ? {} : { responsible }),
      ...(accessKey === undefined ? {} : { accessKey }),
      ...(fairQueueKey === undefined ? {} : { fairQueueKey }),
      system,
      signal,
      ...(mustPreauthorize ? { preauthorize } : {}),
    };
  }
}

const never = new AbortController().signal;

/** The members of a message that describe the caller of the request. */
interface CallOfIdentity {
  readonly id: CallId;
  readonly planeId: string;
  readonly identity: ForwardedIdentity;
}

function forwardedIdentity(identity: Identity, credentials: CredentialSignals): ForwardedIdentity {
  const { user, responsible, accessKey, fairQueueKey, system, signal } = identity;
  const credential = credentials.nameOf(signal);
  return { user, responsible, accessKey, fairQueueKey, system, mustPreauthorize: false, credential };
}
