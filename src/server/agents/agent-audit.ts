import { createReadStream } from 'node:fs';
import type { JsonObject } from '@flotilla/json';
import { textAt } from '@flotilla/json';
import type { AgentAuditBatch, AgentAuditReceipt } from '../../api/agent/policy-feed.ts';
import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { badRequest } from '../../api/status.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import { readLines } from '../../lib/read-lines.ts';

export interface AgentAuditOptions {
  readonly auditLog: AuditLog;
  /** The current log file; the newest rotated file ends in `.1`. */
  readonly path: string;
}

/** Appends the audit lines of agents to the server's log, each line exactly once despite retries and crashes. */
export interface AgentAudit {
  append(cluster: string, batch: AgentAuditBatch): Promise<AgentAuditReceipt>;
}

/** Maximum number of cached agent logs; the position of others is read from the files again. */
const maxCached = 1_000;

/**
 * The position of each agent log is cached, and after a start read from the log files themselves: a separate receipt
 * could be older than the written lines. Agents do not resend lines for which they have a receipt.
 */
export function createAgentAudit({ auditLog, path }: AgentAuditOptions): AgentAudit {
  const nextLines = new Map<string, number>();
  const lanes = new KeyedSerializer();

  async function nextLineOf(cluster: string, log: string): Promise<number> {
    const known = nextLines.get(`${cluster} ${log}`);
    if (known !== undefined) return known;
    let next = 0;
    for (const file of [`${path}.1`, path]) next = Math.max(next, await nextLineIn(file, cluster, log));
    return next;
  }

  return {
    append: (cluster, { log, first, lines }) =>
      lanes.run(cluster, async () => {
        const events = lines.map((line, index) => eventOf(line, { cluster, log, line: first + index }));
        let next = Math.max(first, await nextLineOf(cluster, log));
        const logKey = `${cluster} ${log}`;
        nextLines.delete(logKey);
        try {
          for (const event of events.slice(next - first)) {
            await auditLog.write(event);
            next++;
          }
        } finally {
          nextLines.set(logKey, next);
          const [oldest] = nextLines.size > maxCached ? nextLines.keys() : [];
          if (oldest !== undefined) nextLines.delete(oldest);
        }
        return { next };
      }),
  };
}

async function nextLineIn(file: string, cluster: string, log: string): Promise<number> {
  const logKey = `"agent":${JSON.stringify({ cluster, log }).slice(0, -1)},"line":`;
  let next = 0;
  try {
    for await (const line of readLines(createReadStream(file))) {
      const at = line.indexOf(logKey);
      if (at >= 0) next = Math.max(next, Number.parseInt(line.slice(at + logKey.length), 10) + 1);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return next;
}

const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];
const levels = ['Metadata', 'Request', 'RequestResponse'];
const members = [
  'user',
  'impersonatedUser',
  'accessKey',
  'objectRef',
  'responseStatus',
  'decision',
  'annotations',
] as const;

/** Copies only known members. The content is unverified, so the line is marked with its agent. */
function eventOf(line: JsonObject, agent: NonNullable<AuditEvent['agent']>): AuditEvent {
  const text = (member: string): string => textAt(line, member).slice(0, 8_192);
  const [level, stage] = [text('level'), text('stage')];
  if (!levels.includes(level) || !stages.includes(stage) || text('auditID') === '') {
    throw badRequest(`line ${agent.line} is not a valid audit line`);
  }
  const sourceIPs = line.sourceIPs;
  const taken = Object.fromEntries(members.flatMap((each) => (line[each] === undefined ? [] : [[each, line[each]]])));
  if (JSON.stringify(taken).length > 65_536) {
    throw badRequest(`line ${agent.line} is not a valid audit line`);
  }
  return {
    ...taken,
    agent,
    level: level as AuditEvent['level'],
    stage: stage as AuditEvent['stage'],
    auditID: text('auditID'),
    verb: text('verb'),
    requestURI: text('requestURI'),
    sourceIPs: Array.isArray(sourceIPs) ? sourceIPs.filter((each) => typeof each === 'string') : [],
    userAgent: text('userAgent'),
    requestReceivedTimestamp: text('requestReceivedTimestamp'),
    stageTimestamp: text('stageTimestamp'),
  };
}
