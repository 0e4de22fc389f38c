import { fastPathsEnabled } from '@flotilla/fast-paths';

/** A value, or a promise of it. Usually the value is available without waiting. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value and returns the result of `next`. If `value` is a promise, `next` is called after the
 * promise has resolved. If `value` is not a promise and fast paths are enabled, `next` is called synchronously, so
 * `andThen` may also throw synchronously. This saves the microtasks that each promise adds to a request. If fast paths
 * are disabled, `next` is always called asynchronously.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => Promise<R>): Promise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R>;
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  if (isPromise(value)) return value.then(next);
  return fastPathsEnabled() ? next(value) : Promise.resolve(value).then(next);
}

/**
 * True if an asynchronous function must await the value: `needsAwait(value) ? await value : value`. Always true for a
 * promise. For any other value, true only if fast paths are disabled.
 */
export function needsAwait<T>(value: MaybePromise<T>): value is Promise<T> {
  return isPromise(value) || !fastPathsEnabled();
}

/** True for a promise. Use this function only if the code must treat a promise differently; otherwise use `andThen`. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}
