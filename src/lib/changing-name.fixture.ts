import type { Resolve } from './outgoing-addresses.ts';

/** A resolver whose answer a test can change, as in a DNS rebinding attack, where the attacker controls the name. */
export class ChangingName {
  address: string;
  /** The names that were resolved, in order. */
  readonly resolved: string[] = [];
  readonly resolve: Resolve = (name, _, callback) => {
    this.resolved.push(name);
    const { address } = this;
    setImmediate(() => callback(null, [{ address, family: 4 }]));
  };

  constructor(address: string) {
    this.address = address;
  }
}
