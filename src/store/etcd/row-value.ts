/*
 * The values of etcd keys. The value of a logged row starts with one character: the number of the write in its
 * transaction. The value of an unlogged row is stored unchanged.
 */

export function encodeRow(index: number, value: string): string {
  return String.fromCharCode(index) + value;
}

export function decodeRow(stored: string): { readonly index: number; readonly value: string } {
  return { index: stored.charCodeAt(0), value: stored.slice(1) };
}

/** The value of a slice's head. It describes the last transaction with logged writes in the slice. */
export interface SliceHead {
  /** The number of the last logged write in the slice. */
  readonly last: number;
  /** The ID of the transaction. Its sender recognizes the transaction by this ID. */
  readonly transaction: string;
  /** The numbers of the removals in the slice, in order. They are stored here, because a removed row has no value. */
  readonly removals: readonly number[];
}

export function encodeHead({ last, transaction, removals }: SliceHead): string {
  return `${last} ${transaction} ${removals.join(' ')}`;
}

export function decodeHead(stored: string): SliceHead {
  const [last = '', transaction = '', ...removals] = stored.trimEnd().split(' ');
  return { last: Number(last), transaction, removals: removals.map(Number) };
}
