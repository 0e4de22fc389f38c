import { type JsonObject, type JsonValue, sortByBytes } from '@flotilla/json';
import { sortUnits, type WorkLimitError, WorkMeter } from '@flotilla/work-meter';
import { positionAt, TemplateError } from './template-error.ts';

/**
 * The maximum work of rendering a template. A unit takes less than 10 ns, so rendering takes less than 300 ms. A
 * definition of 3 MB with an expression in each line takes about 26 million units.
 */
const maxUnits = 30_000_000;

/** Creates a meter for the work of one template, or of several templates that are rendered together. */
export function createTemplateMeter(): WorkMeter {
  return new WorkMeter('the template', maxUnits);
}

/**
 * The maximum work of checking the syntax, about 50 ms or 15,000 expressions. It is low because servers check the
 * syntax while a client waits.
 */
const maxSyntaxUnits = 5_000_000;

/** Creates a meter for checking the syntax of one template, or of several templates that are checked together. */
export function createSyntaxMeter(): WorkMeter {
  return new WorkMeter('checking the template', maxSyntaxUnits);
}

/** Charges the work of parsing and executing a template to a meter, and caches the sorted keys of maps. */
export class TemplateWork {
  readonly #meter: WorkMeter;
  readonly #keys = new WeakMap<JsonObject, readonly string[]>();

  constructor(meter: WorkMeter) {
    this.#meter = meter;
  }

  /** The units that can still be charged. */
  get remaining(): number {
    return this.#meter.remaining;
  }

  /** Throws WorkLimitError if the limit is exceeded. */
  charge(units: number): void {
    this.#meter.charge(units);
  }

  /**
   * Returns the keys of a map in the order in which Go templates iterate over it. Values do not change during the
   * execution, so the keys of each map are listed, sorted and charged only once.
   */
  keysOf(map: JsonObject): readonly string[] {
    const known = this.#keys.get(map);
    if (known !== undefined) return known;
    const keys = Object.keys(map);
    this.charge(sortUnits(keys));
    sortByBytes(keys);
    this.#keys.set(map, keys);
    return keys;
  }

  /** Reports whether a value counts as true. Null, false, 0, '' and empty lists and maps count as false. */
  isTrue(value: JsonValue): boolean {
    if (typeof value !== 'object' || value === null) return Boolean(value);
    return (Array.isArray(value) ? value : this.keysOf(value)).length > 0;
  }
}

/**
 * Returns the TemplateError for work that exceeded the limit. The error has the position of `offset` in the template.
 */
export function workError(error: WorkLimitError, template: string, offset: number): TemplateError {
  return new TemplateError(`${error.message}; make it smaller or simpler`, positionAt(template, offset), {
    cause: error,
  });
}
