import { equalJson, isJsonObject, type JsonObject, type JsonValue, objectAt } from '@flotilla/json';
import type { KubeObject } from '../../../../api/meta.ts';
import { badRequest } from '../../../../api/status.ts';

/**
 * The annotation in which apps/v1 shows the template generation, which was a field in earlier versions: the number of
 * changes of a daemon set's pod template.
 */
const annotation = 'deprecated.daemonset.template.generation';

const minGeneration = -(2n ** 63n);
const maxGeneration = 2n ** 63n - 1n;

/**
 * Sets the annotation with the template generation in a decoded daemon set. An absent number becomes 0. Throws 400 if
 * the number is not a 64-bit integer.
 */
export function showTemplateGeneration(object: JsonObject): void {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  const annotations = isJsonObject(metadata.annotations) ? metadata.annotations : {};
  const text = annotations[annotation] ?? '0';
  if (typeof text !== 'string') return;
  const fault = faultOf(text);
  if (fault !== undefined) {
    const problem = `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${fault}`;
    throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${problem}`);
  }
  object.metadata = { ...metadata, annotations: { ...annotations, [annotation]: String(numberOf(text)) } };
}

/**
 * Increases the template generation when the template of a daemon set changes. Clients can choose only its first value.
 */
export function keepTemplateGeneration(object: KubeObject, old: KubeObject | undefined): void {
  const number = (owner: KubeObject) => numberOf(owner.metadata.annotations?.[annotation] ?? '0');
  const templateOf = (owner: KubeObject) => objectAt(owner as JsonValue, 'spec', 'template') ?? {};
  const first = number(object) < 1n ? 1n : number(object);
  const isChanged = old !== undefined && !equalJson(templateOf(object), templateOf(old));
  // Overflows as in Go: the largest number is followed by the smallest number.
  const next = old === undefined ? first : BigInt.asIntN(64, number(old) + (isChanged ? 1n : 0n));
  object.metadata.annotations = { ...object.metadata.annotations, [annotation]: String(next) };
}

function faultOf(text: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return 'invalid syntax';
  // A text with more characters is out of range, except numbers with leading zeros, which are not expected.
  const isInRange = text.length <= 20 && numberOf(text) >= minGeneration && numberOf(text) <= maxGeneration;
  return isInRange ? undefined : 'value out of range';
}

function numberOf(text: string): bigint {
  return BigInt(text.replace(/^\+/, ''));
}
