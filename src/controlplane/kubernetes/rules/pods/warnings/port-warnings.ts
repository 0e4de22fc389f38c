import type { JsonObject } from '@flotilla/json';
import { itemsAt, numberOf, textOf } from '../../checks.ts';
import { allContainers } from '../pod-context.ts';

interface Port {
  readonly path: string;
  readonly index: number;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** The container ports of a pod. Finds the ports that were added earlier and conflict with a new port. */
class SamePorts {
  readonly #all: Port[] = [];
  readonly #byHostPort = new Map<number, Port[]>();
  readonly #byHost = new Map<string, Port[]>();

  /** Returns the earlier ports that conflict with a port, and adds the port. */
  add(port: Port): Port[] {
    const found = port.hostPort === 0 ? [...this.#all] : this.#conflictsOf(port);
    this.#all.push(port);
    addTo(this.#byHostPort, port.hostPort, port);
    addTo(this.#byHost, `${port.hostPort}/${port.hostIP}`, port);
    return found;
  }

  /**
   * Returns the earlier ports that conflict with a port. Looks up the ports by number and address, because a pod can
   * have many ports on other addresses.
   */
  #conflictsOf({ hostPort, hostIP }: Port): Port[] {
    const onHost = (address: string) => this.#byHost.get(`${hostPort}/${address}`) ?? [];
    const samePort = hostIP === '' ? (this.#byHostPort.get(hostPort) ?? []) : [...onHost(''), ...onHost(hostIP)];
    return [...(this.#byHostPort.get(0) ?? []), ...samePort].toSorted((a, b) => a.index - b.index);
  }
}

function addTo<Key>(map: Map<Key, Port[]>, key: Key, port: Port): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [port]);
  else list.push(port);
}

/** Warns about ports of a pod's containers that are equal or overlap. */
export function* portWarnings(spec: JsonObject, path: string): Generator<string> {
  const ports = new Map<string, SamePorts>();
  let index = 0;
  for (const [container, containerPath] of allContainers(spec, path)) {
    for (const [given, at] of itemsAt(container, 'ports', containerPath)) {
      const port: Port = { path: at, index: index++, hostIP: textOf(given.hostIP), hostPort: numberOf(given.hostPort) };
      if (port.hostIP !== '' && port.hostPort === 0) yield `${at}: hostIP set without hostPort: ${printed(given)}`;
      const key = `${numberOf(given.containerPort)}/${textOf(given.protocol)}`;
      const same = ports.get(key) ?? new SamePorts();
      ports.set(key, same);
      for (const other of same.add(port)) yield `${at}: ${conflictOf(port, other)} port definition with ${other.path}`;
    }
  }
}

function conflictOf(port: Port, other: Port): string {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return 'duplicate';
  return port.hostPort === 0 || other.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

/** Returns a port as Go prints its struct. */
function printed(port: JsonObject): string {
  const members = [
    `Name:${textOf(port.name)}`,
    `HostPort:${numberOf(port.hostPort)}`,
    `ContainerPort:${numberOf(port.containerPort)}`,
    `Protocol:${textOf(port.protocol)}`,
    `HostIP:${textOf(port.hostIP)}`,
  ];
  return `{${members.join(' ')}}`;
}
