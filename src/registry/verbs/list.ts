import { badRequest, expired, resourceVersionTooLarge } from '../../api/status.ts';
import { StoreError } from '../../store/store-error.ts';
import type { RequestContext } from '../context.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { toStatusError } from '../store-status.ts';
import type { ListOptions, ServedList } from '../verbs.ts';
import { decodeContinue, encodeContinue, inconsistentRevision } from './continue-token.ts';
import { validateListOptions } from './list-options.ts';
import type { ObjectSelection } from './object-selection.ts';
import { currentPage, type ListPage, type PageRequest, pageAtRevision } from './page.ts';
import { awaitRevision, parseRevision, type RequestedRevision } from './resource-version.ts';
import { createSelection } from './selection.ts';
import type { VerbContext } from './verb-context.ts';

/** The state and the page that a list shows. */
interface ListStart extends PageRequest {
  /** The requested revision. If absent, the list contains every write that was acknowledged before the request. */
  readonly revision?: RequestedRevision;
  /**
   * True if the list shows the state at exactly `revision`. False if the list shows the current state, which is
   * `revision` or newer.
   */
  readonly exact: boolean;
}

export async function list(kind: KindRuntime, context: RequestContext, options: ListOptions): Promise<ServedList> {
  validateListOptions(options);
  const verb: VerbContext = { kind, context };
  const selection = createSelection(kind, context, options);
  const start = options.continue === '' ? startAt(options) : startAfter(kind, options);
  const now = await awaitRevision(kind, start.revision, context);
  const page = start.exact
    ? await pageExactly(verb, selection, start)
    : await currentPage(verb, selection, Math.max(now, kind.cache.revision), start);
  const last = page.objects.at(-1);
  return {
    items: page.objects,
    resourceVersion: String(page.revision),
    ...(page.more && last !== undefined
      ? { continue: encodeContinue(kind.resource.namespaced, { revision: page.revision, after: last }) }
      : {}),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

/**
 * Returns the start of a list without a continue token (LIST-05, LIST-06). If the list has a limit but no
 * resourceVersionMatch, it shows exactly the given revision. With revision 0, the limit is ignored and all objects are
 * returned.
 */
function startAt(options: ListOptions): ListStart {
  const revision = parseRevision(options.resourceVersion);
  if (revision === undefined) return { exact: false, limit: options.limit };
  if (revision === 0) return { revision: 0, exact: false, limit: 0 };
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  return { revision, exact, limit: options.limit };
}

function startAfter(kind: KindRuntime, options: ListOptions): ListStart {
  const { revision, after } = decodeContinue(kind.resource.namespaced, options.continue);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return revision === inconsistentRevision
    ? { exact: false, after, limit: options.limit }
    : { revision, exact: true, after, limit: options.limit };
}

/** Returns a page at exactly the given revision. Reads the cache if no object of the kind has changed since then. */
async function pageExactly(verb: VerbContext, selection: ObjectSelection, start: ListStart): Promise<ListPage> {
  const { kind, context } = verb;
  const revision = Number(start.revision ?? 0);
  if (kind.cache.revision <= revision) return currentPage(verb, selection, revision, start);
  try {
    return await pageAtRevision(kind, stillReadable(kind, context, selection), revision, start);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === 'Expired') throw tooOldError(kind, start);
    if (error.code === 'FutureRevision') throw resourceVersionTooLarge(revision, await kind.cache.freshRevision());
    throw toStatusError(error);
  }
}

/**
 * Restricts a list of an old revision to objects that the caller may read now. Otherwise the list would bypass a
 * permission that was revoked in the meantime.
 */
function stillReadable(kind: KindRuntime, { mayRead }: RequestContext, selection: ObjectSelection): ObjectSelection {
  if (mayRead === undefined) return selection;
  return {
    ...selection,
    matches(candidate) {
      const now = kind.cache.get(candidate.namespace, candidate.name);
      return selection.matches(candidate) && (now === undefined || mayRead(now.peekWithoutManagedFields(), now.hidden));
    },
  };
}

/**
 * Returns the 410 for a revision that was compacted (LIST-13, LIST-21). If the client has already read a page, the
 * error contains a continue token for the rest of the list in its current state.
 */
function tooOldError(kind: KindRuntime, start: ListStart) {
  if (start.after === undefined) return expired('The resourceVersion for the provided list is too old.');
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    encodeContinue(kind.resource.namespaced, { revision: inconsistentRevision, after: start.after }),
  );
}
