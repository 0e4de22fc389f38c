import { equalJson, type JsonValue, valueAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { badRequest } from '../../../api/status.ts';

/** The annotation in which apps/v1 shows a field of earlier versions: the number of changes of the pod template. */
const annotation = 'deprecated.daemonset.template.generation';

/** Sets the number of the template of a daemon set. Clients can choose only the first one. */
export function keepTemplateGeneration(object: KubeObject, old: KubeObject | undefined): void {
  const sent = generationOf(object);
  const before = old === undefined ? undefined : generationOf(old);
  const templateOf = (owner: KubeObject | undefined) => valueAt(owner as JsonValue, 'spec', 'template') ?? {};
  const isChanged = old !== undefined && !equalJson(templateOf(object), templateOf(old));
  const next = before === undefined ? (sent < 1n ? 1n : sent) : before + (isChanged ? 1n : 0n);
  object.metadata.annotations = { ...object.metadata.annotations, [annotation]: String(next) };
}

const maxGeneration = 2n ** 63n;

/** Returns the number in the annotation; 0 if it is absent. Throws 400 if it is not a 64-bit integer. */
function generationOf({ metadata }: KubeObject): bigint {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return 0n;
  const fault = /^[+-]?[0-9]{1,40}$/.test(text) ? rangeFault(BigInt(text.replace(/^\+/, ''))) : 'invalid syntax';
  if (fault === undefined) return BigInt(text.replace(/^\+/, ''));
  const problem = `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`;
  throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`);
}

function rangeFault(value: bigint): string | undefined {
  return value >= maxGeneration || value < -maxGeneration ? 'value out of range' : undefined;
}
