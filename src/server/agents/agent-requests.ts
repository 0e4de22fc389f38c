import { flagAt, isJsonObject, type JsonObject, listAt, numberAt, parseJson, textAt } from '@flotilla/json';
import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { readAgentVersion } from '../../api/agent/agent-versions.ts';
import type {
  AgentActivity,
  AgentAnnouncement,
  AgentAuditBatch,
  AgentJoinRequest,
  AgentKeyCheck,
  AgentTunnelQuery,
} from '../../api/agent/policy-feed.ts';
import { badRequest } from '../../api/status.ts';
import type { Exchange } from '../../http/exchange.ts';
import { bodyFormat } from '../../http/negotiate/body-format.ts';
import { readBody } from '../../http/wire/read-body.ts';

/** The functions below validate requests of agents, because an agent is untrusted and may have another version. */

/** The maximum size of a batch of audit lines, or of a report about the use of all virtual clusters. */
const maxBatchBytes = 4 * 1024 * 1024;

/** The maximum size of other bodies. The longest contains certificates. */
const maxBytes = 128 * 1024;

async function readObject(exchange: Exchange, limit: number = maxBytes): Promise<JsonObject> {
  bodyFormat(exchange.request.headers['content-type'], ['json']);
  const bytes = await readBody(exchange, limit);
  let value: ReturnType<typeof parseJson>['value'] | undefined;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).value;
  } catch {
    value = undefined;
  }
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object');
  return value;
}

export async function readAnnouncement(exchange: Exchange): Promise<AgentAnnouncement> {
  const sent = await readObject(exchange);
  const [url, authority] = [textAt(sent, 'url'), textAt(sent, 'authority')];
  const [credential, version, host] = [textAt(sent, 'credential'), textAt(sent, 'version'), textAt(sent, 'host')];
  const isTunneled = flagAt(sent, 'isTunneled');
  const isUrl = URL.canParse(url) && /^https:\/\/[^/?#@\s]+$/.test(url);
  if (!isUrl && !(isTunneled && url === '')) {
    throw badRequest('url must be an https address without a path');
  }
  if (credential === '') throw badRequest('credential is missing');
  if (host !== 'built-in' && host !== 'kubernetes') throw badRequest('host must be built-in or kubernetes');
  const release = { name: textAt(sent, 'release', 'name'), namespace: textAt(sent, 'release', 'namespace') };
  const isRelease = subdomainFaults(release.name).length === 0 && labelFaults(release.namespace).length === 0;
  return {
    url,
    authority,
    credential,
    isTunneled,
    host,
    version,
    sharesCredential: flagAt(sent, 'sharesCredential'),
    isConnecting: flagAt(sent, 'isConnecting'),
    hostname: readHostname(sent),
    readOnly: flagAt(sent, 'readOnly'),
    // Invalid names are omitted, because the command line prints these names as part of a command for users to run.
    ...(isRelease ? { release } : {}),
  };
}

/** Returns the host name, which is shown to users; '' if it is not a host name. */
function readHostname(sent: JsonObject): string {
  const text = textAt(sent, 'hostname');
  return /^[\w.-]{1,253}$/.test(text) ? text : '';
}

/** Returns the data that an agent sends about itself when it opens a tunnel. */
export function readTunnelQuery({ request }: Pick<Exchange, 'request'>): AgentTunnelQuery {
  const query = new URL(request.url, 'http://agent').searchParams;
  const clusterUID = query.get('clusterUID') ?? '';
  return {
    version: readAgentVersion(query.get('version') ?? '') ?? '',
    ...(/^[\w.:-]{1,253}$/.test(clusterUID) ? { clusterUID } : {}),
  };
}

export async function readJoinRequest(exchange: Exchange): Promise<AgentJoinRequest> {
  const sent = await readObject(exchange);
  const [publicKey, proof] = [textAt(sent, 'publicKey'), textAt(sent, 'proof')];
  if (publicKey === '') throw badRequest('publicKey is missing');
  if (proof === '') throw badRequest('proof is missing');
  return { publicKey, proof, host: textAt(sent, 'host') === 'built-in' ? 'built-in' : 'kubernetes' };
}

export async function readKeyCheck(exchange: Exchange): Promise<AgentKeyCheck> {
  const accessKey = textAt(await readObject(exchange), 'accessKey');
  if (accessKey === '') throw badRequest('accessKey is missing');
  return { accessKey };
}

export async function readAuditBatch(exchange: Exchange): Promise<AgentAuditBatch> {
  const sent = await readObject(exchange, maxBatchBytes);
  const [log, first, lines] = [textAt(sent, 'log'), numberAt(sent, 'first') ?? Number.NaN, listAt(sent, 'lines')];
  if (!/^[0-9a-z-]{1,64}$/.test(log)) throw badRequest('log must be the id of the agent log');
  if (!Number.isSafeInteger(first) || first < 0) throw badRequest('first must be the number of the first line');
  if (!lines.every(isJsonObject)) throw badRequest('lines must be objects');
  return { log, first, lines };
}

export async function readActivity(exchange: Exchange): Promise<AgentActivity> {
  const used = listAt(await readObject(exchange, maxBatchBytes), 'used').map((each) => ({
    namespace: textAt(each, 'namespace'),
    name: textAt(each, 'name'),
    uid: textAt(each, 'uid'),
    secondsAgo: numberAt(each, 'secondsAgo') ?? Number.NaN,
  }));
  if (!used.every(({ secondsAgo }) => secondsAgo >= 0))
    throw badRequest('every entry of used must have a uid and a secondsAgo of at least 0');
  return { used };
}
