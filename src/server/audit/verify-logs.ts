import type { AuditVerification, ReplicaVerification } from '../../api/audit/audit-chain.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { openCheckpointVerifier } from '../../audit/chain/checkpoint-key.ts';
import { verifyAuditLog } from '../../audit/chain/verify-audit-log.ts';
import type { NextTimeSlice } from '../../http/reply.ts';
import type { ReplicaPeers } from '../../replicas/replicas.ts';
import { PeerError, type Peers } from '../peers/open-peers.ts';
import type { ServerAudit } from './open-server-audit.ts';

/** Verifies the audit log of one server. */
export type VerifyLog = (signal: AbortSignal, yieldToEventLoop: NextTimeSlice) => Promise<AuditVerification>;

/** Verifies the audit logs of all replicas, one after the other. */
export type VerifyAllLogs = (
  signal: AbortSignal,
  yieldToEventLoop: NextTimeSlice,
) => AsyncIterable<ReplicaVerification>;

/** Creates the function that verifies the log of this server. */
export function ownLogVerifier(id: string, { location, key, checkpoints }: ServerAudit): VerifyLog {
  const signatures = openCheckpointVerifier(key.publicKey);
  return async (signal, yieldToEventLoop) => {
    const checkpoint = await checkpoints.get(id);
    return await verifyAuditLog(location, { signatures, checkpoint, signal, yieldToEventLoop });
  };
}

export interface AllLogsVerifierOptions {
  /** The ID of this replica. */
  readonly id: string;
  readonly verifyOwn: VerifyLog;
  /** The access to the other replicas; absent if the server does not share its store. */
  readonly others?: { listReplicas(): Promise<ReplicaPeers>; readonly verifyPeer: Peers['verify'] } | undefined;
}

export function allLogsVerifier({ id, verifyOwn, others }: AllLogsVerifierOptions): VerifyAllLogs {
  return async function* verifyAll(signal, yieldToEventLoop) {
    yield { replica: id, ...(await verifyOwn(signal, yieldToEventLoop)) };
    if (others === undefined) return;
    const { members, former } = await others.listReplicas();
    const present = members.filter((each) => each.id !== id);
    for (const { id: replica, peerAddress } of present) {
      if (peerAddress === undefined) {
        yield { replica, error: 'it does not accept requests from other replicas; check its version and its log' };
      } else {
        yield await verifyOther(others.verifyPeer, { id: replica, address: peerAddress }, signal);
      }
    }
    for (const { id: replica, leftAt } of former) {
      if (present.some((each) => each.id === replica)) continue;
      yield {
        replica,
        error: `it has not been running since ${timestamp(leftAt)}; verify the files in its data directory`,
      };
    }
  };
}

async function verifyOther(
  verifyPeer: Peers['verify'],
  peer: { readonly id: string; readonly address: string },
  signal: AbortSignal,
): Promise<ReplicaVerification> {
  try {
    return { replica: peer.id, ...(await verifyPeer(peer, signal)) };
  } catch (error) {
    if (error instanceof PeerError || error instanceof StatusError) return { replica: peer.id, error: error.message };
    throw error;
  }
}
