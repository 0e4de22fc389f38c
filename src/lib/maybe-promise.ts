import { fastPathsEnabled } from '@flotilla/fast-paths';

/** A value that is usually available, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value. Plain path: always through a promise. Fast path: synchronously if the value is available,
 * because each promise costs every request several microtasks; `next` may then throw synchronously.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => Promise<R>): Promise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (isPromise(value)) return value.then(next);
  return fastPathsEnabled() ? next(value) : Promise.resolve(value).then(next);
}

/**
 * For asynchronous functions: `mustAwait(value) ? await value : value`. Plain path: always true, although the value may
 * be available, so use `value` only in an `await`. Fast path: true only for a promise.
 */
export function mustAwait<T>(value: MaybePromise<T>): value is Promise<T> {
  return isPromise(value) || !fastPathsEnabled();
}

/** True if the value is not available yet. For code that does something else then; the rest uses `andThen`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}
