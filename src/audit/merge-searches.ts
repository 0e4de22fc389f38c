import type { AuditEvent } from '../api/audit/audit-event.ts';
import { auditLineTimestamp, mayBeAgentLine } from './audit-line-matcher.ts';
import type { AuditSearchResult } from './search-audit-log.ts';

export interface MergeLimits {
  /** Maximum number of lines in the result. */
  readonly lines: number;
  /** The number of characters in the result after which no further line is added. */
  readonly characters: number;
}

export interface MergedSearch {
  readonly lines: readonly string[];
  /** The position at which the search of each replica continues; `undefined` if its whole log has been searched. */
  readonly next: ReadonlyMap<string, string | undefined>;
  /** The oldest time up to which the logs of all replicas were searched, in milliseconds since the epoch. */
  readonly oldestSearchedTime: number | undefined;
}

/**
 * Merges the search results of several replicas, newest line first. Omits lines that cannot be ordered yet, because
 * another replica may have newer lines in the part of its log that has not been searched. The next request finds the
 * omitted lines again. Each merge makes progress: it returns a line, or a replica without lines has searched part of
 * its log.
 */
export function mergeSearches(found: ReadonlyMap<string, AuditSearchResult>, limits: MergeLimits): MergedSearch {
  const sources = [...found].map(([replica, result]) => new Source(replica, result));
  const lines: string[] = [];
  const agentLines = new Set<string>();
  let characters = 0;
  while (lines.length < limits.lines && characters < limits.characters) {
    const newest = newestOf(sources);
    if (newest === undefined || sources.some((source) => source.mayFindAfter(newest.time))) break;
    const line = newest.take();
    const agentLine = agentLineId(line);
    // Skip duplicates. If a replica fails before it confirms an agent's lines, the agent sends these lines again, to
    // this replica or to another one.
    if (agentLine !== undefined && agentLines.has(agentLine)) continue;
    if (agentLine !== undefined) agentLines.add(agentLine);
    lines.push(line);
    characters += line.length;
  }
  return {
    lines,
    next: new Map(sources.map(({ replica, next }) => [replica, next])),
    oldestSearchedTime: oldestTime(sources),
  };
}

/** The lines of one replica that have not been merged yet, newest first. */
class Source {
  readonly replica: string;
  readonly result: AuditSearchResult;
  readonly #times: readonly number[];
  #taken = 0;

  constructor(replica: string, result: AuditSearchResult) {
    this.replica = replica;
    this.result = result;
    this.#times = orderingTimes(result.lines);
  }

  /** The time of the next line; -Infinity if there is none. */
  get time(): number {
    return this.#times[this.#taken] ?? Number.NEGATIVE_INFINITY;
  }

  get isEmpty(): boolean {
    return this.#taken >= this.result.lines.length;
  }

  /** The position at which the search of this replica continues; `undefined` if its whole log has been searched. */
  get next(): string | undefined {
    return this.isEmpty ? this.result.continue : this.result.positions[this.#taken];
  }

  /** True if the part of the log that has not been searched may contain lines after this time. */
  mayFindAfter(time: number): boolean {
    const { continue: next, oldestSearchedTime = Number.POSITIVE_INFINITY } = this.result;
    return this.isEmpty && next !== undefined && oldestSearchedTime > time;
  }

  take(): string {
    const line = this.result.lines[this.#taken] ?? '';
    this.#taken++;
    return line;
  }
}

/**
 * Returns, for each line, the time by which it is ordered among the lines of other replicas. The times never increase,
 * so the lines of one replica keep their order. A line from an agent gets the time of the preceding line in `lines`,
 * because it was logged when it arrived and not at the time that it contains.
 */
function orderingTimes(lines: readonly string[]): readonly number[] {
  const firstOwn = lines.find((line) => !mayBeAgentLine(line));
  let latest = (firstOwn === undefined ? undefined : auditLineTimestamp(firstOwn)) ?? Number.POSITIVE_INFINITY;
  return lines.map((line) => {
    if (!mayBeAgentLine(line)) latest = Math.min(latest, auditLineTimestamp(line) ?? latest);
    return latest;
  });
}

function newestOf(sources: readonly Source[]): Source | undefined {
  let newest: Source | undefined;
  for (const source of sources) {
    if (!source.isEmpty && (newest === undefined || source.time > newest.time)) newest = source;
  }
  return newest;
}

function oldestTime(sources: readonly Source[]): number | undefined {
  const unfinished = sources.filter(({ next }) => next !== undefined);
  const times = (unfinished.length > 0 ? unfinished : sources)
    .map((source) => (source.isEmpty ? source.result.oldestSearchedTime : source.time))
    .filter((time) => time !== undefined)
    .filter((time) => Number.isFinite(time));
  if (times.length === 0) return undefined;
  return unfinished.length > 0 ? Math.max(...times) : Math.min(...times);
}

/** Returns the identity of a line from an agent; `undefined` for a line of the server. */
function agentLineId(line: string): string | undefined {
  if (!mayBeAgentLine(line)) return undefined;
  const { agent } = JSON.parse(line) as AuditEvent;
  return agent === undefined ? undefined : JSON.stringify([agent.cluster, agent.log, agent.line]);
}
