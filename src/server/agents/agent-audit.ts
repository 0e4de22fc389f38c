import { createReadStream } from 'node:fs';
import { type JsonObject, textAt } from '@flotilla/json';
import type { AgentAuditBatch, AgentAuditReceipt } from '../../api/agent/policy-feed.ts';
import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { badRequest } from '../../api/status.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import { readLines } from '../../lib/read-lines.ts';
import type { AgentAuditPositions } from './agent-audit-positions.ts';

export interface AgentAuditOptions {
  readonly auditLog: AuditLog;
  /** The path of the current log file. The newest rotated file has the same path with the suffix `.1`. */
  readonly path: string;
  /** The positions that all replicas share. Absent if this process is the only one that receives lines. */
  readonly positions?: Pick<AgentAuditPositions, 'next' | 'advance'> | undefined;
}

/**
 * Receives audit lines from agents and appends them to the server's audit log. Each line is written exactly once, with
 * one exception: if one of several replicas crashes after it has written a line and before it has confirmed it, another
 * replica may write the line again.
 */
export interface AgentAudit {
  append(cluster: string, batch: AgentAuditBatch): Promise<AgentAuditReceipt>;
}

/**
 * The maximum number of agent logs whose next line number is cached. For other logs, the number is read from the audit
 * log.
 */
const maxCached = 1_000;

/**
 * Creates the receiver of agents' audit lines. The receiver caches the number of the next expected line of each agent
 * log. After a start of the server, it reads this number from the server's audit log, because a number in a separate
 * file could be older than the written lines. Agents resend lines until the server confirms them.
 */
export function createAgentAudit({ auditLog, path, positions }: AgentAuditOptions): AgentAudit {
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
        const [own, confirmed = 0] = await Promise.all([nextLineOf(cluster, log), positions?.next(cluster, log)]);
        let next = Math.max(first, own, confirmed);
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
        await positions?.advance(cluster, log, next);
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

/** Copies the known members of an agent's audit line. Adds `agent`, which shows that the content is unverified. */
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
