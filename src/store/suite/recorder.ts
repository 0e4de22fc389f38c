import type { Change, Observer, Revision } from '../store.ts';
import type { StoreError } from '../store-error.ts';

/** An observer that records the changes it receives. */
export class ChangeRecorder implements Observer {
  readonly changesSeen: Change[] = [];
  readonly calls: (readonly Change[])[] = [];
  end: StoreError | undefined;

  changes(changes: readonly Change[]): void {
    this.calls.push(changes);
    this.changesSeen.push(...changes);
  }

  ended(error: StoreError): void {
    this.end = error;
  }

  get revisions(): Revision[] {
    return this.changesSeen.map(({ revision }) => revision);
  }

  /** The received changes as text, in order: `key=value` for a write, `key-` for a removal. */
  get summary(): string[] {
    return this.changesSeen.map(
      ({ key, value }) => `${key.segments.join('/')}${value === undefined ? '-' : `=${value}`}`,
    );
  }
}
