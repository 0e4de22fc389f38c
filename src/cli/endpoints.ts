import type { JsonObject } from '@flotilla/json';
import { type AuditEventList, auditPath } from '../api/audit/audit-event.ts';
import { type BackupStatus, backupsPath } from '../api/backups/backup-status.ts';
import { type EncryptionStatus, encryptionPath } from '../api/encryption/encryption-status.ts';
import { type MailStatus, mailPath } from '../api/mail/mail-status.ts';
import { type ReplicaList, replicasPath } from '../api/replicas/replica-list.ts';
import type { ApiRequest, ServerApi } from './connection/server-api.ts';

/** The path of an endpoint that does not belong to a kind, with the TypeScript type of its responses. */
export interface TypedEndpoint<Body extends object> {
  readonly path: string;
  /** Never set at run time. It lets TypeScript infer the type of the responses. */
  readonly body?: Body;
}

export const auditEndpoint: TypedEndpoint<AuditEventList> = { path: auditPath };
export const backupsEndpoint: TypedEndpoint<BackupStatus> = { path: backupsPath };
export const encryptionEndpoint: TypedEndpoint<EncryptionStatus> = { path: encryptionPath };
export const mailEndpoint: TypedEndpoint<MailStatus> = { path: mailPath };
export const replicasEndpoint: TypedEndpoint<ReplicaList> = { path: replicasPath };

/** The body of a response. */
export interface TypedResponse<Body extends object> {
  /** The body as the server sent it, for output in a machine-readable format. */
  readonly json: JsonObject;
  /** The body with its type. A server of another version may omit members. */
  readonly body: Partial<Body>;
}

/**
 * Sends a request to an endpoint. Casts the response to the type of the endpoint without validating it, because this client
 * trusts its server. All casts of such responses are here.
 */
export async function requestEndpoint<Body extends object>(
  api: ServerApi,
  { path }: TypedEndpoint<Body>,
  ask: Omit<ApiRequest, 'path'>,
): Promise<TypedResponse<Body>> {
  const json = await api.json({ ...ask, path });
  return { json, body: json as Partial<Body> };
}
