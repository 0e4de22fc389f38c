import { invalidContinue } from './search-position.ts';

/**
 * The progress of a search in the log of one replica: `position` if the search continues there, `complete`, or `failed`
 * if the log could not be searched. Later requests do not retry a failed search, because its lines would come too late
 * to be in order of time.
 */
export type SearchProgress = { readonly position: string } | 'complete' | 'failed';

const failedMark = '*';
const replicaPattern = /^[A-Za-z0-9-]{1,64}$/;
const positionPattern = /^([A-Za-z0-9_-]{0,128}|\*)$/;

/** Returns the progress of all replicas as the `continue` value of a response. */
export function formatSearchProgress(progress: ReadonlyMap<string, SearchProgress>): string {
  return [...progress].map(([replica, each]) => `${replica}.${formatOne(each)}`).join('.');
}

/** Parses a `continue` value. Throws 400 if it is invalid. */
export function parseSearchProgress(text: string): Map<string, SearchProgress> {
  const parts = text.split('.');
  const progress = new Map<string, SearchProgress>();
  for (let index = 0; index < parts.length; index += 2) {
    const [replica = '', position] = parts.slice(index, index + 2);
    if (position === undefined || !replicaPattern.test(replica) || !positionPattern.test(position)) {
      throw invalidContinue();
    }
    progress.set(replica, parseOne(position));
  }
  return progress;
}

function formatOne(progress: SearchProgress): string {
  if (progress === 'complete') return '';
  return progress === 'failed' ? failedMark : progress.position;
}

function parseOne(position: string): SearchProgress {
  if (position === '') return 'complete';
  return position === failedMark ? 'failed' : { position };
}
