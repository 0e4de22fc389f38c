import { internalError } from '../../../api/status.ts';
import { nodePorts } from './service-range.ts';
import type { UsedNumbers } from './used-numbers.ts';
import type { UsedValues } from './used-values.ts';

/**
 * As in Kubernetes, node ports below this one are for services that request a specific port. A service without such a
 * request gets one of them only if no other port is free.
 */
const firstAutomatic = nodePorts.first + 86;

/** The node ports that one write takes: requested ports, and ports that the server allocates. */
export class PortOperation {
  readonly #used: UsedValues;
  readonly #random: () => number;
  readonly #taken: UsedNumbers;

  constructor(used: UsedValues, random: () => number) {
    this.#used = used;
    this.#random = random;
    this.#taken = used.noPorts();
  }

  /** Takes a port. If the port cannot be taken, returns the reason. */
  take(port: number): string | undefined {
    if (port < nodePorts.first || port > nodePorts.last) {
      return `provided port is not in the valid range. The range of valid ports is ${nodePorts.first}-${nodePorts.last}`;
    }
    if (this.#taken.has(port - nodePorts.first) || this.#used.hasPort(port))
      return 'provided port is already allocated';
    this.#taken.add(port - nodePorts.first);
    return undefined;
  }

  /** Takes a free port. Throws StatusError if there is none. */
  takeAny(): number {
    const port =
      this.#used.freePort({ first: firstAutomatic, last: nodePorts.last }, this.#random(), this.#taken) ??
      this.#used.freePort({ first: nodePorts.first, last: firstAutomatic - 1 }, this.#random(), this.#taken);
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    this.#taken.add(port - nodePorts.first);
    return port;
  }
}
