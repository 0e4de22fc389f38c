import type { Change, Observer, Revision } from '../store.ts';
import type { StoreError } from '../store-error.ts';

/** An observer that records the changes it receives. */
export class Recorder implements Observer {
  readonly seen: Change[] = [];
  readonly calls: (readonly Change[])[] = [];
  end: StoreError | undefined;

  changes(changes: readonly Change[]): void {
    this.calls.push(changes);
    this.seen.push(...changes);
  }

  ended(error: StoreError): void {
    this.end = error;
  }

  get revisions(): Revision[] {
    return this.seen.map(({ revision }) => revision);
  }

  /** `key=value`, or `key-` for a removal, in order of arrival. */
  get told(): string[] {
    return this.seen.map(({ key, value }) => `${key.segments.join('/')}${value === undefined ? '-' : `=${value}`}`);
  }
}
