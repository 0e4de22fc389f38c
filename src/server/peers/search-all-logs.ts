import type { UnsearchedReplica } from '../../api/audit/audit-event.ts';
import { type AuditQuery, defaultAuditLimit } from '../../api/audit/audit-query.ts';
import { timestamp } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { mergeSearches } from '../../audit/merge-searches.ts';
import { type AuditSearchOptions, type AuditSearchResult, clockSlack } from '../../audit/search-audit-log.ts';
import { formatSearchProgress, parseSearchProgress, type SearchProgress } from '../../audit/search-progress.ts';
import { Semaphore } from '../../lib/queue/semaphore.ts';
import type { FormerReplica, ReplicaPeers } from '../../replicas/replicas.ts';
import { PeerError, type Peers } from './open-peers.ts';

export interface AllLogsOptions {
  /** The ID of this replica. */
  readonly id: string;
  listReplicas(): Promise<ReplicaPeers>;
  readonly searchPeer: Peers['search'];
  searchOwn(query: AuditQuery, options: AuditSearchOptions): Promise<AuditSearchResult>;
}

/** The result of a search of the audit logs of all replicas. */
export interface AllLogsResult extends Omit<AuditSearchResult, 'positions'> {
  readonly incomplete: readonly UnsearchedReplica[];
}

/** The number of replicas that are asked at the same time. */
const maxConcurrentSearches = 16;
const maxResultLength = 2 * 1024 * 1024;
/**
 * A replica adds no further line to a search result with this many characters, so the results of many replicas do not
 * fill the memory.
 */
export const maxPeerResultLength = 512 * 1024;

/** Searches the audit logs of all replicas, newest lines first, and reports the replicas that could not be searched. */
export async function searchAllLogs(
  context: AllLogsOptions,
  query: AuditQuery,
  options: AuditSearchOptions,
): Promise<AllLogsResult> {
  const before = query.continue === undefined ? undefined : parseSearchProgress(query.continue);
  const sources = listSources(context.id, await context.listReplicas(), query);
  const progress = new Map<string, SearchProgress>();
  const incomplete: UnsearchedReplica[] = [];
  const found = new Map<string, AuditSearchResult>();
  const slots = new Semaphore(maxConcurrentSearches, sources.length);
  const outcomes = await Promise.all(
    sources.map((source) => searchSource(source, before, { context, query, options, slots })),
  );
  for (const [index, { id }] of sources.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) progress.set(id, 'complete');
    else if (typeof outcome === 'object') found.set(id, outcome);
    else {
      progress.set(id, 'failed');
      incomplete.push({ replica: id, reason: outcome });
    }
  }
  const merged = mergeSearches(found, { lines: query.limit ?? defaultAuditLimit, characters: maxResultLength });
  for (const [id, position] of merged.next) progress.set(id, position === undefined ? 'complete' : { position });
  const hasMore = [...progress.values()].some((each) => typeof each === 'object');
  return {
    lines: merged.lines,
    continue: hasMore ? formatSearchProgress(progress) : undefined,
    oldestSearchedTime: merged.oldestSearchedTime,
    incomplete,
  };
}

/** A replica whose log belongs to the search. */
interface Source {
  readonly id: string;
  /** The host and port of another replica; `undefined` if the replica has no peer address. */
  readonly address?: string | undefined;
  readonly isOwn?: boolean;
  /** The record of a replica that is no longer registered. */
  readonly former?: FormerReplica;
}

/** Lists all replicas whose logs may contain matching lines, sorted by ID. */
function listSources(own: string, { members, former }: ReplicaPeers, { since }: AuditQuery): readonly Source[] {
  const first = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since) - clockSlack;
  const sources = new Map<string, Source>();
  for (const each of former) if (each.leftAt >= first) sources.set(each.id, { id: each.id, former: each });
  for (const { id, peerAddress } of members) sources.set(id, { id, address: peerAddress });
  sources.set(own, { id: own, isOwn: true });
  return [...sources.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

interface SearchInputs {
  readonly context: AllLogsOptions;
  readonly query: AuditQuery;
  readonly options: AuditSearchOptions;
  readonly slots: Semaphore;
}

/**
 * Searches the log of one replica. Resolves with the found lines, with the reason why the log cannot be searched, or
 * with `undefined` if previous requests have already searched the whole log.
 */
async function searchSource(
  source: Source,
  before: ReadonlyMap<string, SearchProgress> | undefined,
  { context, query, options, slots }: SearchInputs,
): Promise<AuditSearchResult | string | undefined> {
  const { id, address, isOwn } = source;
  const progress = before?.get(id);
  if (progress === 'complete') return undefined;
  const obstacle = obstacleOf(source, progress, before !== undefined);
  if (obstacle !== undefined) return obstacle;
  const part = typeof progress === 'object' ? { ...query, continue: progress.position } : query;
  const release = await slots.acquire(options.signal);
  try {
    if (isOwn === true) return await context.searchOwn(part, { ...options, maxResultLength: maxPeerResultLength });
    return await context.searchPeer({ id, address: address ?? '' }, part, options.signal);
  } catch (error) {
    if (error instanceof PeerError || error instanceof StatusError) return error.message;
    throw error;
  } finally {
    release();
  }
}

/** Returns the reason why the log of a replica cannot be searched; `undefined` if the search can be attempted. */
function obstacleOf(
  { address, isOwn, former }: Source,
  progress: SearchProgress | undefined,
  isContinued: boolean,
): string | undefined {
  if (former !== undefined) {
    const time = timestamp(former.leftAt);
    return former.isExpelled ? `it has not responded since ${time}` : `it has been shut down since ${time}`;
  }
  if (progress === 'failed') return 'it did not respond earlier in this search; start a new search';
  if (progress === undefined && isContinued) return 'it was started after this search; start a new search';
  if (isOwn === true || address !== undefined) return undefined;
  return 'it does not accept searches from other replicas; check its version and its log';
}
