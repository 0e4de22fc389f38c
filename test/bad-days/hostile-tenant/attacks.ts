import type { Attack } from './attack.ts';
import { configurationAttacks } from './configuration-attacks.ts';
import { connectionAttacks } from './connection-attacks.ts';
import { crowdAttacks } from './crowd-attacks.ts';
import { decodingAttacks } from './decoding-attacks.ts';
import { definitionAttacks } from './definition-attacks.ts';
import { floodAttacks } from './flood-attacks.ts';
import { loadAttacks } from './load-attacks.ts';
import { managementAttacks } from './management-attacks.ts';
import { managementLoadAttacks } from './management-load-attacks.ts';
import { objectAttacks } from './object-attacks.ts';
import { permissionAttacks } from './permission-attacks.ts';
import { protobufAttacks } from './protobuf-attacks.ts';
import { requestAttacks } from './request-attacks.ts';
import { templateAttacks } from './template-attacks.ts';

/** All attacks, in the order in which they run. */
const all: readonly Attack[] = [
  ...templateAttacks,
  ...decodingAttacks,
  ...protobufAttacks,
  ...requestAttacks,
  ...managementAttacks,
  ...objectAttacks,
  ...permissionAttacks,
  ...definitionAttacks,
  ...configurationAttacks,
  ...loadAttacks,
  ...managementLoadAttacks,
  ...connectionAttacks,
  ...crowdAttacks,
  ...floodAttacks,
];

/** The attacks that run: all attacks with `FLOTILLA_LONG_ATTACKS`, otherwise all except the long ones. */
export const attacks = all.filter(({ isLong }) => isLong !== true || process.env.FLOTILLA_LONG_ATTACKS !== undefined);
