import type { JsonValue } from '@flotilla/json';
import type { WorkMeter } from '@flotilla/work-meter';

/*
 * The work of writing or comparing a value. The factors were measured, so that one unit takes about 20 nanoseconds
 * whatever the value consists of.
 */
const scalarUnits = 3;
const containerUnits = 12;
const memberUnits = 6;
const charactersPerUnit = 8;

/** V8 stores objects with more members as hash tables, in which each member takes much longer to enumerate. */
const largeObject = 1_000;
const largeObjectUnits = 30;

/** Returns the work of enumerating the members of an object. */
export function enumerationUnits(members: number): number {
  return members > largeObject ? members * largeObjectUnits : members;
}

/**
 * Charges the work of writing a value as JSON or of comparing it, before that is done. Returns false as soon as it
 * exceeds the limit of the meter.
 */
export function chargeJson(value: JsonValue, meter: WorkMeter): boolean {
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!meter.tryCharge(ownUnits(next))) return false;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) pending.push(item);
      continue;
    }
    let members = 0;
    for (const name in next) {
      const enumeration = ++members > largeObject ? 2 * largeObjectUnits : 0;
      if (!meter.tryCharge(memberUnits + name.length / charactersPerUnit + enumeration)) return false;
      pending.push(next[name] as JsonValue);
    }
  }
  return true;
}

/** Returns the work for a value without its members. */
function ownUnits(value: JsonValue): number {
  if (typeof value === 'string') return scalarUnits + value.length / charactersPerUnit;
  return typeof value === 'object' && value !== null ? containerUnits : scalarUnits;
}
