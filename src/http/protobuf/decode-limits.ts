import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { maxValues } from '@flotilla/json';

/** The maximum depth of nested messages. Schemas are recursive, but real ones are not nested this deep. */
const maxDepth = 500;

/**
 * The limits for decoding one message: the nesting depth, and the number of values, which is the same as for a JSON
 * body. An empty message takes two bytes, so a body of a few megabytes could otherwise contain a million objects.
 */
export class DecodeLimits {
  #depth = 0;
  #values = 0;

  /** Enters a nested message. Throws an Error if the message is nested too deeply. */
  enter(): void {
    if (this.#depth++ > maxDepth) throw new Error(`exceeded max depth of ${maxDepth}`);
    this.count(1);
  }

  leave(): void {
    this.#depth--;
  }

  /** Counts values that are decoded. Throws an Error if there are too many. */
  count(values: number): void {
    this.#values += values;
    if (this.#values > maxValues) throw new Error(`exceeded max number of ${maxValues} values`);
  }
}

/**
 * Skips a field that the message type does not have. The field counts as a value. Throws an Error if there are too many
 * values, or if the field is a group: Kubernetes uses no groups, and the fields in a group would not be counted.
 */
export function skipUnknown(reader: BinaryReader, number: number, wireType: WireType, limits: DecodeLimits): void {
  limits.count(1);
  if (wireType === WireType.StartGroup) throw new Error(`field ${number} is a group, which is not supported`);
  reader.skip(wireType, number);
}
