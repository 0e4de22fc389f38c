import { fastPathsEnabled } from '@flotilla/fast-paths';

/** A value, or a promise of it. Usually the value is available without waiting. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value. The plain path always waits for a promise. The fast path calls `next` synchronously if
 * the value is available, because each promise costs every request several microtasks. `next` may then throw
 * synchronously.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => Promise<R>): Promise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (isPromise(value)) return value.then(next);
  return fastPathsEnabled() ? next(value) : Promise.resolve(value).then(next);
}

/**
 * Reports whether an asynchronous function must await a value: `mustAwait(value) ? await value : value`. On the plain
 * path always true, even if the value is not a promise. On the fast path true only for a promise.
 */
export function mustAwait<T>(value: MaybePromise<T>): value is Promise<T> {
  return isPromise(value) || !fastPathsEnabled();
}

/** True for a promise. Use it only if the code does something different in that case; otherwise use `andThen`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}
