import { createReadStream } from 'node:fs';
import type { AgentAuditBatch, AgentAuditReceipt } from '../../api/agent/policy-feed.ts';
import type { AuditEvent } from '../../api/audit/audit-event.ts';
import { badRequest } from '../../api/status.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { textAt } from '../../lib/json-path.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { Lanes } from '../../lib/lanes.ts';
import { linesOf } from '../../lib/lines.ts';

export interface AgentAuditOptions {
  readonly auditLog: AuditLog;
  /** The file that is being written; the youngest that was set aside ends in `.1`. */
  readonly path: string;
}

/** Takes over what agents wrote into their own audit logs, each line once, whatever breaks in between. */
export interface AgentAudit {
  take(cluster: string, batch: AgentAuditBatch): Promise<AgentAuditReceipt>;
}

/** Logs of agents that are remembered; an older one is looked up in the files again. */
const mostRemembered = 1_000;

/**
 * Which lines are there already is remembered, and after a start found in the files themselves: a receipt of its own
 * could be older than what was written. What an agent does not send again it has a receipt for.
 */
export function agentAudit({ auditLog, path }: AgentAuditOptions): AgentAudit {
  const nexts = new Map<string, number>();
  const lanes = new Lanes();

  async function nextOf(cluster: string, log: string): Promise<number> {
    const known = nexts.get(`${cluster} ${log}`);
    if (known !== undefined) return known;
    let next = 0;
    for (const file of [`${path}.1`, path]) next = Math.max(next, await nextIn(file, cluster, log));
    return next;
  }

  return {
    take: (cluster, { log, first, lines }) =>
      lanes.run(cluster, async () => {
        const events = lines.map((line, index) => eventOf(line, { cluster, log, line: first + index }));
        let next = Math.max(first, await nextOf(cluster, log));
        const mark = `${cluster} ${log}`;
        nexts.delete(mark);
        try {
          for (const event of events.slice(next - first)) {
            await auditLog.write(event);
            next++;
          }
        } finally {
          nexts.set(mark, next);
          const [oldest] = nexts.size > mostRemembered ? nexts.keys() : [];
          if (oldest !== undefined) nexts.delete(oldest);
        }
        return { next };
      }),
  };
}

async function nextIn(file: string, cluster: string, log: string): Promise<number> {
  const mark = `"agent":${JSON.stringify({ cluster, log }).slice(0, -1)},"line":`;
  let next = 0;
  try {
    for await (const line of linesOf(createReadStream(file))) {
      const at = line.indexOf(mark);
      if (at >= 0) next = Math.max(next, Number.parseInt(line.slice(at + mark.length), 10) + 1);
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

/** Only what a line can have; what it says is the agent's word, and the line says so. */
function eventOf(line: JsonObject, agent: NonNullable<AuditEvent['agent']>): AuditEvent {
  const text = (member: string): string => textAt(line, member).slice(0, 8_192);
  const [level, stage] = [text('level'), text('stage')];
  if (!levels.includes(level) || !stages.includes(stage) || text('auditID') === '') {
    throw badRequest(`line ${agent.line} is no line of an audit log`);
  }
  const sourceIPs = line.sourceIPs;
  const taken = Object.fromEntries(members.flatMap((each) => (line[each] === undefined ? [] : [[each, line[each]]])));
  if (JSON.stringify(taken).length > 65_536) {
    throw badRequest(`line ${agent.line} is no line of an audit log`);
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
