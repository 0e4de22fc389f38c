import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from '../cel-type.ts';
import { groupOverloads } from '../environment.ts';
import type { Overload } from '../overload.ts';
import { conversions } from './conversions.ts';
import { lists } from './lists.ts';
import { namedFormats } from './named-formats.ts';
import { networks } from './networks.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantities.ts';
import { regularExpressions } from './regular-expressions.ts';
import { sets } from './sets.ts';
import { strings } from './strings.ts';
import { time } from './time.ts';
import { urls } from './urls.ts';
import { versions } from './versions.ts';

let functions: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Returns all functions and operators that CEL expressions in Kubernetes can use, by name. */
export function libraryFunctions(): ReadonlyMap<string, readonly Overload[]> {
  functions ??= groupOverloads([
    ...operators,
    ...conversions,
    ...time,
    ...strings,
    ...regularExpressions,
    ...lists,
    ...sets,
    ...optionals,
    ...quantities,
    ...networks,
    ...urls,
    ...versions,
    ...namedFormats,
  ]);
  return functions;
}

/** The types that expressions can refer to by name: `type(self.port) == int`. */
export const libraryTypes: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ['optional_type', optionalOf(DYN)],
  ['net.IP', opaque('net.IP')],
  ['net.CIDR', opaque('net.CIDR')],
]);
