import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { JsonObject } from '@flotilla/json';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { userKind } from '../../api/management/v1/user.ts';
import { apiVersionOf, timestamp } from '../../api/meta.ts';
import { adminsGroup, adminUser, controllersUser, managementGroup, managementVersion } from '../../api/naming.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { generateAccessKey } from '../../auth/access-key-format.ts';
import { systemContext } from '../../controlplane/system-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { writePrivateFile } from '../../lib/private-file.ts';
import { fileExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { WriteOptions } from '../../registry/verbs.ts';
import { writeAdminKey } from '../data/admin-files.ts';
import { type DataDir, dataDirAt } from '../data/data-dir.ts';
import { defaultDataDir } from '../settings/flags.ts';

/**
 * `flotilla admin-key`: requests a new access key of the administrator. A person who can write to the data directory
 * can do this, and could read all secrets of the server anyway. Only a server can create the key, because only a server
 * has the seal key, the rules for keys and the audit log. Returns the message to print.
 */
export async function requestAdminKey(dataDir: string = defaultDataDir): Promise<string> {
  const dir = dataDirAt(dataDir);
  if (!(await fileExists(dir.store)) && !(await fileExists(dir.installation))) {
    throw new StartError(`${dir.path} is not the data directory of a server; set --data-dir`);
  }
  await writePrivateFile(dir.adminKeyRequest, '');
  return [
    `the next start of the server with ${dir.path} creates an access key of the user "${adminUser}"`,
    `It writes the key to ${dir.adminKey} and ${dir.adminKubeconfig}, and records it in the audit log. Start or restart the server now.`,
    '',
  ].join('\n');
}

export interface AdminKeyOptions {
  readonly dir: DataDir;
  readonly kinds: KindStores;
  readonly auditLog: Pick<AuditLog, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
}

const writing: WriteOptions = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Strict' };

/** Creates the access key that `flotilla admin-key` has requested. Returns true if a key was created. */
export async function createRequestedAdminKey(options: AdminKeyOptions): Promise<boolean> {
  const { dir, kinds, log } = options;
  if (!(await fileExists(dir.adminKeyRequest))) return false;
  await ensureAdministrator(kinds);
  const key = generateAccessKey();
  const name = `${adminUser}-${randomBytes(4).toString('hex')}`;
  await recordInAuditLog(options, name);
  await writeAdminKey(dir, key);
  const spec = { displayName: 'Administrator, created by flotilla admin-key', user: adminUser, type: 'User', key };
  const object = { apiVersion: apiVersionOf(accessKeyKind), kind: accessKeyKind.kind, metadata: { name }, spec };
  await storeOf(kinds, accessKeyKind).verbs.create(systemContext(''), object, writing);
  await rm(dir.adminKeyRequest, { force: true });
  log.warn({ accessKey: name, file: dir.adminKey }, 'created the requested access key of the administrator');
  return true;
}

/** Creates the administrator's user. If this user exists, enables it and makes it an administrator again. */
async function ensureAdministrator(kinds: KindStores): Promise<void> {
  const users = storeOf(kinds, userKind);
  const user = users.peek('', adminUser)?.object;
  if (user === undefined) {
    const spec = { displayName: 'Administrator', groups: [adminsGroup] };
    const object = { apiVersion: apiVersionOf(userKind), kind: userKind.kind, metadata: { name: adminUser }, spec };
    await users.verbs.create(systemContext(''), object, writing);
    return;
  }
  const groups = user.spec?.groups ?? [];
  if (user.spec?.disabled !== true && groups.includes(adminsGroup)) return;
  const document: JsonObject = { spec: { disabled: false, groups: [...new Set([...groups, adminsGroup])] } };
  const patch = { type: 'merge', document, findings: [] } as const;
  await users.verbs.patch(systemContext(''), adminUser, patch, { ...writing, force: false });
}

async function recordInAuditLog({ auditLog, clock }: AdminKeyOptions, name: string): Promise<void> {
  const now = timestamp(clock.now());
  await auditLog.write({
    user: { username: controllersUser, groups: [] },
    auditID: randomUUID(),
    verb: 'create',
    requestURI: `/apis/${managementGroup}/${managementVersion}/${accessKeyKind.plural}`,
    sourceIPs: [],
    userAgent: 'flotilla admin-key',
    objectRef: {
      resource: accessKeyKind.plural,
      name,
      apiGroup: managementGroup,
      apiVersion: managementVersion,
    },
    level: 'Metadata',
    stage: 'ResponseComplete',
    responseStatus: { code: 201 },
    requestReceivedTimestamp: now,
    stageTimestamp: now,
  });
}
